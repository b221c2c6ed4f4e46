!mod$ v1 sum:4435d1ece3830c85
module grid
integer(4),parameter::n=64_4
real(8)::buff(1_8:4096_8,1_8:4_8)
real(8)::u(1_8:64_8,1_8:64_8,1_8:64_8)
real(8)::v(1_8:64_8,1_8:64_8,1_8:64_8)
end
