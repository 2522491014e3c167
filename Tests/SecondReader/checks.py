"""The check and the compression of docs/format.md: XXH3-64 without a seed, and LZ4."""

M64 = (1 << 64) - 1
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8"
    "fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb17"
    "0ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
DESCRIPTORS = {b"\x60\x40\x82": 1 << 16, b"\x60\x50\xfb": 1 << 18, b"\x60\x60\x51": 1 << 20, b"\x60\x70\x73": 1 << 22}


class Damage(Exception):
    """What is on the disk is not what was written there."""


class Newer(Exception):
    """What is on the disk is of newer code."""


def demand(holds, sentence):
    if not holds:
        raise Damage(sentence)


def number(data, at, length):
    return int.from_bytes(data[at:at + length], "little")


def _s(at):
    return int.from_bytes(SECRET[at:at + 8], "little")


def _fold(a, b):
    product = a * b
    return (product & M64) ^ (product >> 64)


def _avalanche(h):
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & M64
    return h ^ h >> 32


def _avalanche64(h):
    h = (h ^ h >> 33) * P64[1] & M64
    h = (h ^ h >> 29) * P64[2] & M64
    return h ^ h >> 32


def xxh3(data):
    """XXH3_64bits with the default secret and no seed."""
    n = len(data)
    r = lambda at, length=8: int.from_bytes(data[at:at + length], "little")
    mix = lambda at, key: _fold(r(at) ^ _s(key), r(at + 8) ^ _s(key + 8))
    if n == 0:
        return _avalanche64(_s(56) ^ _s(64))
    if n <= 3:
        word = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return _avalanche64(word ^ (_s(0) & 0xFFFFFFFF) ^ (_s(0) >> 32))
    if n <= 8:
        h = (r(n - 4, 4) + (r(0, 4) << 32)) ^ _s(8) ^ _s(16)
        turn = lambda by: (h << by | h >> (64 - by)) & M64
        h ^= turn(49) ^ turn(24)
        h = h * 0x9FB21C651E98DF25 & M64
        h ^= (h >> 35) + n
        h = h * 0x9FB21C651E98DF25 & M64
        return h ^ h >> 28
    if n <= 16:
        low, high = r(0) ^ _s(24) ^ _s(32), r(n - 8) ^ _s(40) ^ _s(48)
        return _avalanche(n + int.from_bytes(low.to_bytes(8, "little"), "big") + high + _fold(low, high) & M64)
    if n <= 128:
        h = n * P64[0]
        for i in range((n - 1) // 32, -1, -1):
            h += mix(16 * i, 32 * i) + mix(n - 16 * (i + 1), 32 * i + 16)
        return _avalanche(h & M64)
    if n <= 240:
        h = _avalanche(n * P64[0] + sum(mix(16 * i, 16 * i) for i in range(8)) & M64)
        h += sum(mix(16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16)) + mix(n - 16, 119)
        return _avalanche(h & M64)
    return _long(data)


def _long(data):
    n = len(data)
    a = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]
    keys = [[_s(8 * k + 8 * i) for i in range(8)] for k in range(16)]

    def stripe(at, key):
        for i in range(8):
            value = int.from_bytes(data[at + 8 * i:at + 8 * i + 8], "little")
            mixed = value ^ key[i]
            a[i ^ 1] = a[i ^ 1] + value & M64
            a[i] = a[i] + (mixed & 0xFFFFFFFF) * (mixed >> 32) & M64

    blocks = (n - 1) // 1024
    for block in range(blocks):
        for k in range(16):
            stripe(1024 * block + 64 * k, keys[k])
        for i in range(8):
            a[i] = ((a[i] ^ a[i] >> 47) ^ _s(128 + 8 * i)) * P32[0] & M64
    for k in range((n - 1 - 1024 * blocks) // 64):
        stripe(1024 * blocks + 64 * k, keys[k])
    stripe(n - 64, [_s(121 + 8 * i) for i in range(8)])
    h = n * P64[0] + sum(_fold(a[2 * i] ^ _s(11 + 16 * i), a[2 * i + 1] ^ _s(19 + 16 * i)) for i in range(4))
    return _avalanche(h & M64)


def check(data, salt=0):
    return xxh3(data) ^ salt


def lz4_block(source, most):
    """Decompresses one block, which gives no more than `most` bytes."""
    out, at, end = bytearray(), 0, len(source)

    def length(nibble):
        nonlocal at
        total = nibble
        while nibble == 15:
            demand(at < end, "an LZ4 block ends within a length")
            byte = source[at]
            at += 1
            total += byte
            if byte != 255:
                break
        return total

    while True:
        demand(at < end, "an LZ4 block ends without literals")
        token = source[at]
        at += 1
        literals = length(token >> 4)
        demand(at + literals <= end and len(out) + literals <= most, "the literals of an LZ4 block are too long")
        out += source[at:at + literals]
        at += literals
        if at == end:
            return bytes(out)
        demand(at + 2 <= end, "an LZ4 block ends within an offset")
        back = number(source, at, 2)
        at += 2
        count = length(token & 15) + 4
        demand(0 < back <= len(out) and len(out) + count <= most, "a match of an LZ4 block leads out of it")
        if back >= count:
            begin = len(out) - back
            out += out[begin:begin + count]
        else:
            piece = bytes(out[-back:])
            out += (piece * (count // back + 1))[:count]


def lz4_blocks(data, at, end, limit, most):
    """The blocks from one place to another, with their length fields, decompressed."""
    out = bytearray()
    while at < end:
        demand(at + 4 <= end, "an LZ4 block is cut short")
        field = number(data, at, 4)
        size = field & 0x7FFFFFFF
        demand(size > 0 and at + 4 + size <= end, "an LZ4 block reaches past its frame")
        block = data[at + 4:at + 4 + size]
        most_here = min(limit, most - len(out))
        given = block if field >> 31 else lz4_block(block, most_here)
        demand(0 < len(given) <= most_here, "an LZ4 block gives too much or nothing")
        out += given
        at += 4 + size
    return bytes(out)


def lz4_frame(data, payload_length):
    """The payload of an LZ4 frame of the one kind that a store has."""
    limit = DESCRIPTORS.get(bytes(data[4:7]))
    demand(len(data) >= 11 and data[:4] == b"\x04\x22\x4d\x18" and limit, "the LZ4 frame has no such descriptor")
    demand(data[-4:] == bytes(4), "the LZ4 frame has no end mark")
    payload = lz4_blocks(data, 7, len(data) - 4, limit, payload_length)
    demand(len(payload) == payload_length, "the LZ4 frame gives less than the seal says")
    return payload
