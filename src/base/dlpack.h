// dlpack.h - element types as DLPack names them.
#pragma once
#include <burin/dlpack.h>
#include <burin/type.h>

namespace burin {

dlpack::DataType to_dlpack_type(Type t);  // of a buffer's elements

}  // namespace burin
