# SPDX-License-Identifier: Apache-2.0
"""Figures of the Jade paper: M. Rinard, Communication Optimizations for Parallel Computing Using Data Access
Information, 1995. Seconds on 1, 2, 4, 8, 16, 24 and 32 processors; None where the Jade paper has no figure."""

PROCESSORS = (1, 2, 4, 8, 16, 24, 32)

# Tables 1 and 6: the serial programs with Jade's constructs stripped.
STRIPPED = {
    "dash": {"water": 3285.90, "string": 19314.80, "ocean": 100.03, "cholesky": 28.91},
    "ipsc": {"water": 2406.72, "string": 19629.42, "ocean": 60.99, "cholesky": 28.53},
}

# (machine, application, level): (table, seconds)
SECONDS = {
    ("dash", "water", "locality"): (2, (3270.71, 1648.96, 833.19, 423.14, 220.63, 153.03, 119.48)),
    ("dash", "water", "no locality"): (2, (3290.47, 1648.60, 832.91, 434.36, 229.84, 160.82, 124.74)),
    ("dash", "string", "locality"): (3, (19621.15, 9774.07, 5003.69, 2534.62, 1320.00, 903.95, 705.84)),
    ("dash", "string", "no locality"): (3, (19396.12, 9756.71, 5017.82, 2559.44, 1350.06, 948.73, 769.21)),
    ("dash", "ocean", "placement"): (4, (105.21, 105.36, 36.36, 16.14, 9.24, 8.39, 10.71)),
    ("dash", "ocean", "locality"): (4, (105.33, 99.22, 37.79, 25.30, 17.58, 14.52, 13.26)),
    ("dash", "ocean", "no locality"): (4, (104.51, 99.20, 38.97, 31.21, 22.31, 18.88, 17.31)),
    ("dash", "cholesky", "placement"): (5, (35.71, 33.64, 15.24, 7.82, 5.95, 5.61, 5.76)),
    ("dash", "cholesky", "locality"): (5, (34.94, 17.99, 11.77, 7.53, 7.30, 7.43, 7.86)),
    ("dash", "cholesky", "no locality"): (5, (35.09, 18.99, 12.97, 9.29, 7.88, 8.00, 8.48)),
    ("ipsc", "water", "locality"): (7, (2435.16, 1219.71, 617.28, 315.69, 165.64, 118.09, 91.53)),
    ("ipsc", "water", "no locality"): (7, (2454.78, 1231.91, 623.34, 318.34, 167.77, 119.72, 93.11)),
    ("ipsc", "string", "locality"): (8, (17382.07, 9473.24, 4773.02, 2418.75, 1249.69, 873.14, 678.55)),
    ("ipsc", "string", "no locality"): (8, (18873.86, 9529.52, 4765.96, 2424.12, None, 869.27, 680.94)),
    ("ipsc", "ocean", "placement"): (9, (77.44, 68.14, 28.75, 18.77, 24.16, 37.18, 51.87)),
    ("ipsc", "ocean", "locality"): (9, (77.71, 93.74, 95.95, 57.28, 39.50, 44.48, 55.96)),
    ("ipsc", "ocean", "no locality"): (9, (78.03, 100.29, 159.77, 88.86, 56.33, 55.56, 63.58)),
    ("ipsc", "cholesky", "placement"): (10, (54.56, 50.18, 31.56, 32.50, 34.41, 36.38, 38.17)),
    ("ipsc", "cholesky", "locality"): (10, (54.54, 34.17, 33.65, 35.97, 43.73, 47.62, 50.83)),
    ("ipsc", "cholesky", "no locality"): (10, (54.43, 107.43, 99.39, 75.84, 59.02, 56.41, 59.45)),
    ("ipsc", "water", "no broadcast"): (11, (2459.87, 1233.98, 625.27, 323.84, 180.15, 140.59, 122.74)),
    ("ipsc", "string", "no broadcast"): (12, (18877.42, 9469.36, 4765.68, 2425.82, 1255.29, 874.18, 689.57)),
    ("ipsc", "ocean", "no broadcast"): (13, (63.14, 65.54, 28.73, 19.11, 25.68, 39.99, 55.71)),
    ("ipsc", "cholesky", "no broadcast"): (14, (37.25, 49.76, 31.29, 32.01, 34.92, 35.87, 38.16)),
}
