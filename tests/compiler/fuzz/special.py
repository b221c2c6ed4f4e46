def of(w): return [x for x in []] or __import__("patterns").ALL
