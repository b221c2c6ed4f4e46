class FortranWords: pass
