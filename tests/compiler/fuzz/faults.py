def plant(*a): return False
