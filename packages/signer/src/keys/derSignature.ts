/** r and s of a DER signature, 32 bytes each back to back; undefined for anything that is not exactly one. */
export function derToRs(der: Uint8Array): Uint8Array | undefined {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return undefined
  const r = integerAt(der, 2)
  const s = r && integerAt(der, r.end)
  if (!r || !s || s.end !== der.length) return undefined
  const rs = new Uint8Array(64)
  rs.set(r.bytes, 32 - r.bytes.length)
  rs.set(s.bytes, 64 - s.bytes.length)
  return rs
}

const SEQUENCE = 0x30
const INTEGER = 0x02

/** A positive whole number of at most 32 bytes, in its shortest form. */
function integerAt(der: Uint8Array, at: number): { bytes: Uint8Array; end: number } | undefined {
  const [tag, length = 0] = [der[at], der[at + 1]]
  const end = at + 2 + length
  if (tag !== INTEGER || length === 0 || length > 33 || end > der.length) return undefined
  const bytes = der.subarray(at + 2, end)
  if ((bytes[0]! & 0x80) !== 0) return undefined
  if (bytes[0] !== 0) return length > 32 ? undefined : { bytes, end }
  // A leading zero only keeps the number positive.
  if (length > 1 && (bytes[1]! & 0x80) === 0) return undefined
  return { bytes: bytes.subarray(1), end }
}

/** SubjectPublicKeyInfo of a secp256k1 key, up to the 65 bytes of its point. */
const SPKI_HEAD = '3056301006072a8648ce3d020106052b8104000a034200'

/** The uncompressed point of a secp256k1 key as a KMS returns it; undefined for any other key. */
export function spkiPoint(der: Uint8Array): Uint8Array | undefined {
  const head = SPKI_HEAD.length / 2
  const isIt = der.length === head + 65 && Buffer.from(der.subarray(0, head)).toString('hex') === SPKI_HEAD
  return isIt && der[head] === 4 ? der.subarray(head) : undefined
}
