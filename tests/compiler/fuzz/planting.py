def run(f): return 1
