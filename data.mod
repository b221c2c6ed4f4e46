!mod$ v1 sum:dd117d539abc10e0
module data
real(8),save::held(1_8:20000_8)
real(8),save::work(1_8:20000_8)
real(8),allocatable,save::grown(:)
end
