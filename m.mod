!mod$ v1 sum:50498fcd7153a29d
module m
interface
subroutine send1(buf,n)
type(*)::buf(1_8:*)
integer(4)::n
end
end interface
interface
subroutine send2(buf,n)
type(*)::buf(1_8:*)
!dir$ ignore_tkr(tkrdm) buf
integer(4)::n
end
end interface
interface
subroutine send3(buf,n)
real(4)::buf
!dir$ ignore_tkr(tkrdm) buf
integer(4)::n
end
end interface
interface
subroutine send4(buf,n)
integer(4)::buf(1_8:*)
!dir$ ignore_tkr(tkrdm) buf
integer(4)::n
end
end interface
interface
subroutine send5(buf,n)
type(*)::buf
!dir$ ignore_tkr(tkrdmc) buf
integer(4)::n
end
end interface
end
