!mod$ v1 sum:7bdc7034ec8ad7d1
module field
real(8),allocatable::grid(:,:,:,:)
real(8),allocatable::old(:,:,:,:)
real(8),allocatable::out(:)
contains
subroutine sweep(n)
integer(4),intent(in)::n
end
subroutine pack_all(n)
integer(4),intent(in)::n
end
end
