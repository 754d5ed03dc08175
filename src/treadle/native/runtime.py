"""What the code of an entry finds in a process without Numba: memory of arrays, and a word of failure.

A kernel that makes an array holds it by a record with a count of references, in the layout that Numba's code
expects: count, destructor, what the destructor is given, data, size, allocator.
"""

from __future__ import annotations

__all__ = ["C_LIBRARY", "FAILED", "PYTHON", "RUNTIME"]

#: Functions of the C library that entries may call.
C_LIBRARY = frozenset(
    {
        "malloc", "free", "write", "memcpy", "memmove", "memset", "memcmp", "bcmp",
        "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "expm1", "log", "log1p", "pow",
        "fmod", "floor", "ceil", "fma", "fmin", "fmax", "ldexp", "frexp", "hypot", "sinh", "cosh", "tanh",
    }
)  # fmt: skip

#: Functions of Python that make the arguments of exceptions. Every process has them, and entries never do.
PYTHON = frozenset({"PyErr_SetString", "PyObject_Hash", "PyTuple_Pack", "PyUnicode_FromKindAndData"})

#: Called where a kernel raised an exception, which none should: says so on standard error, and goes on.
FAILED = "treadle_kernel_failed"

_RECORD = "{ i64, ptr, ptr, ptr, i64, ptr }"

RUNTIME = f"""
declare ptr @malloc(i64)
declare void @free(ptr)
declare i64 @write(i32, ptr, i64)

@.failed = private constant [38 x i8] c"treadle: a kernel raised an exception\\0A"

define void @{FAILED}() noinline cold {{
  %written = call i64 @write(i32 2, ptr @.failed, i64 38)
  ret void
}}

define void @NRT_incref(ptr %record) noinline {{
  %none = icmp eq ptr %record, null
  br i1 %none, label %over, label %held
held:
  %count = load i64, ptr %record, align 8
  %more = add i64 %count, 1
  store i64 %more, ptr %record, align 8
  br label %over
over:
  ret void
}}

define void @NRT_decref(ptr %record) noinline {{
  %none = icmp eq ptr %record, null
  br i1 %none, label %over, label %held
held:
  %count = load i64, ptr %record, align 8
  %less = sub i64 %count, 1
  store i64 %less, ptr %record, align 8
  %last = icmp eq i64 %less, 0
  br i1 %last, label %unused, label %over
unused:
  call void @NRT_MemInfo_call_dtor(ptr %record)
  br label %over
over:
  ret void
}}

define ptr @NRT_Allocate(i64 %size) {{
  %memory = call ptr @malloc(i64 %size)
  ret ptr %memory
}}

define void @NRT_Free(ptr %memory) {{
  call void @free(ptr %memory)
  ret void
}}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %alignment) {{
  %wide = zext i32 %alignment to i64
  %more = add i64 %size, %wide
  %total = add i64 %more, 48
  %record = call ptr @malloc(i64 %total)
  %none = icmp eq ptr %record, null
  br i1 %none, label %failed, label %made
failed:
  ret ptr null
made:
  %place = ptrtoint ptr %record to i64
  %over = add i64 %place, 47
  %past = add i64 %over, %wide
  %mask = sub i64 0, %wide
  %aligned = and i64 %past, %mask
  %data = inttoptr i64 %aligned to ptr
  store {_RECORD} {{ i64 1, ptr null, ptr null, ptr null, i64 0, ptr null }}, ptr %record
  %data.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 3
  store ptr %data, ptr %data.place
  %size.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 4
  store i64 %size, ptr %size.place
  ret ptr %record
}}

define ptr @NRT_MemInfo_alloc(i64 %size) {{
  %record = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %record
}}

define void @NRT_MemInfo_call_dtor(ptr %record) {{
  %place = getelementptr {_RECORD}, ptr %record, i32 0, i32 1
  %destructor = load ptr, ptr %place
  %none = icmp eq ptr %destructor, null
  br i1 %none, label %release, label %destroy
destroy:
  %info.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 2
  %info = load ptr, ptr %info.place
  %data.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 3
  %data = load ptr, ptr %data.place
  %size.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 4
  %size = load i64, ptr %size.place
  call void %destructor(ptr %data, i64 %size, ptr %info)
  br label %release
release:
  call void @free(ptr %record)
  ret void
}}

define void @treadle_free_list(ptr %data, i64 %size, ptr %of_items) {{
  %none = icmp eq ptr %of_items, null
  br i1 %none, label %release, label %destroy
destroy:
  call void %of_items(ptr %data)
  br label %release
release:
  call void @free(ptr %data)
  ret void
}}

define ptr @NRT_MemInfo_new_varsize_dtor(i64 %size, ptr %of_items) {{
  %data = call ptr @malloc(i64 %size)
  %record = call ptr @malloc(i64 48)
  %no.data = icmp eq ptr %data, null
  %no.record = icmp eq ptr %record, null
  %none = or i1 %no.data, %no.record
  br i1 %none, label %failed, label %made
failed:
  call void @free(ptr %data)
  call void @free(ptr %record)
  ret ptr null
made:
  store {_RECORD} {{ i64 1, ptr @treadle_free_list, ptr null, ptr null, i64 0, ptr null }}, ptr %record
  %info.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 2
  store ptr %of_items, ptr %info.place
  %data.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 3
  store ptr %data, ptr %data.place
  %size.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 4
  store i64 %size, ptr %size.place
  ret ptr %record
}}

define ptr @NRT_MemInfo_varsize_alloc(ptr %record, i64 %size) {{
  %data = call ptr @malloc(i64 %size)
  %data.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 3
  store ptr %data, ptr %data.place
  %size.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 4
  store i64 %size, ptr %size.place
  ret ptr %data
}}

define void @NRT_MemInfo_varsize_free(ptr %record, ptr %data) {{
  call void @free(ptr %data)
  %data.place = getelementptr {_RECORD}, ptr %record, i32 0, i32 3
  %held = load ptr, ptr %data.place
  %same = icmp eq ptr %held, %data
  %left = select i1 %same, ptr null, ptr %held
  store ptr %left, ptr %data.place
  ret void
}}
"""
