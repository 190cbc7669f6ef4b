;; Finds odd bytes: those that a terminal may not show as they are. These are controls except TAB, LF
;; and CR before LF, DEL, and everything past ASCII. One search for all 30 values, 32 bytes per turn,
;; is faster than searches for single bytes. Compiled by scripts/native.
(module
  (memory (export "memory") 17)
  ;; Start of the first group of 32 bytes that holds an odd byte; at least `end` - 31 when there is
  ;; none. Reads up to 1 byte past `end`.
  (func (export "odd") (param $at i32) (param $end i32) (result i32)
    (local $v v128)
    (block $found
      (loop $turn
        (br_if $found (i32.gt_u (i32.add (local.get $at) (i32.const 32)) (local.get $end)))
        (br_if $found (v128.any_true (v128.or
          (v128.or
            ;; below 0x20 or above 0x7e: plus 1, as signed bytes, both are below 0x21
            (v128.andnot
              (i8x16.lt_s
                (i8x16.add (local.tee $v (v128.load (local.get $at))) (v128.const i8x16 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1))
                (v128.const i8x16 33 33 33 33 33 33 33 33 33 33 33 33 33 33 33 33))
              ;; except TAB, LF, CR
              (i8x16.swizzle (v128.const i8x16 0 0 0 0 0 0 0 0 0 -1 -1 0 0 -1 0 0) (local.get $v)))
            ;; CR without LF after it
            (v128.andnot
              (i8x16.eq (local.get $v) (v128.const i8x16 13 13 13 13 13 13 13 13 13 13 13 13 13 13 13 13))
              (i8x16.eq (v128.load offset=1 (local.get $at)) (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))))
          (v128.or
            (v128.andnot
              (i8x16.lt_s
                (i8x16.add (local.tee $v (v128.load offset=16 (local.get $at))) (v128.const i8x16 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1))
                (v128.const i8x16 33 33 33 33 33 33 33 33 33 33 33 33 33 33 33 33))
              (i8x16.swizzle (v128.const i8x16 0 0 0 0 0 0 0 0 0 -1 -1 0 0 -1 0 0) (local.get $v)))
            (v128.andnot
              (i8x16.eq (local.get $v) (v128.const i8x16 13 13 13 13 13 13 13 13 13 13 13 13 13 13 13 13))
              (i8x16.eq (v128.load offset=17 (local.get $at)) (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10)))))))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br $turn)))
    (local.get $at))
  ;; First position of byte a with byte b at a fixed distance after it, each compared with its mask
  ;; bits set, which ignores the case of a letter. At least `end` when there is none. Reads up to
  ;; `distance` + 31 bytes past `end`.
  (func (export "pair")
    (param $at i32) (param $end i32) (param $a i32) (param $aMask i32) (param $b i32) (param $bMask i32) (param $distance i32)
    (result i32)
    (local $va v128) (local $vam v128) (local $vb v128) (local $vbm v128) (local $hits v128) (local $more v128) (local $bits i32)
    (local.set $va (i8x16.splat (local.get $a)))
    (local.set $vam (i8x16.splat (local.get $aMask)))
    (local.set $vb (i8x16.splat (local.get $b)))
    (local.set $vbm (i8x16.splat (local.get $bMask)))
    (block $none
      (loop $turn
        (br_if $none (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $hits (v128.and
          (i8x16.eq (v128.or (v128.load (local.get $at)) (local.get $vam)) (local.get $va))
          (i8x16.eq (v128.or (v128.load (i32.add (local.get $at) (local.get $distance))) (local.get $vbm)) (local.get $vb))))
        (local.set $more (v128.and
          (i8x16.eq (v128.or (v128.load offset=16 (local.get $at)) (local.get $vam)) (local.get $va))
          (i8x16.eq (v128.or (v128.load offset=16 (i32.add (local.get $at) (local.get $distance))) (local.get $vbm)) (local.get $vb))))
        (if (v128.any_true (v128.or (local.get $hits) (local.get $more)))
          (then
            (local.set $bits (i32.or
              (i8x16.bitmask (local.get $hits))
              (i32.shl (i8x16.bitmask (local.get $more)) (i32.const 16))))
            (return (i32.add (local.get $at) (i32.ctz (local.get $bits))))))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br $turn)))
    (local.get $at)))
