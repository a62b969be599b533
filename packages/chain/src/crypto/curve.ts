/** What Pit asks of secp256k1, so that the library behind it can be a native module or wasm. */
export type Curve = {
  name: CurveName
  /** Uncompressed public key (65 bytes), or undefined when no key fits. `rs` is r and s, 32 bytes each. */
  recoverPublicKey(hash: Uint8Array, rs: Uint8Array, yParity: 0 | 1): Uint8Array | undefined
  /** Deterministic (RFC 6979), always low-s. */
  sign(hash: Uint8Array, privateKey: Uint8Array): { rs: Uint8Array; yParity: 0 | 1 }
  /** Uncompressed public key (65 bytes). */
  publicKeyOf(privateKey: Uint8Array): Uint8Array
}
export type CurveName = 'native' | 'wasm'

type NativeModule = {
  ecdsaRecover(rs: Uint8Array, recoveryId: number, hash: Uint8Array, compressed: boolean): Uint8Array
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
}

/**
 * The native module where it is installed and loads, else libauth's wasm. A named backend is for tests: it
 * throws when that one cannot be had.
 */
export async function loadCurve(only?: CurveName): Promise<Curve> {
  if (only === 'wasm') return loadWasmCurve()
  try {
    return await loadNativeCurve()
  } catch (error) {
    if (only === 'native') throw error
    return loadWasmCurve()
  }
}

async function loadNativeCurve(): Promise<Curve> {
  // Through a variable, so that a browser's bundler does not try to bundle an optional native module; and the
  // bindings by name, because the package's main file falls back to a slow pure-script curve.
  const specifier = 'secp256k1/bindings.js'
  const { default: native } = (await import(/* @vite-ignore */ specifier)) as { default: NativeModule }
  return {
    name: 'native',
    recoverPublicKey(hash, rs, yParity) {
      try {
        return native.ecdsaRecover(rs, yParity, hash, false)
      } catch {
        return undefined
      }
    },
    sign(hash, privateKey) {
      const { signature, recid } = native.ecdsaSign(hash, privateKey)
      return { rs: signature, yParity: recid === 1 ? 1 : 0 }
    },
    publicKeyOf: (privateKey) => native.publicKeyCreate(privateKey, false),
  }
}

async function loadWasmCurve(): Promise<Curve> {
  // The one module: the package's front door brings a megabyte and awaits at its top level, which bundlers
  // garble.
  const { instantiateSecp256k1 } = await import('@bitauth/libauth/build/lib/crypto/secp256k1.js')
  const wasm = await instantiateSecp256k1()
  return {
    name: 'wasm',
    recoverPublicKey(hash, rs, yParity) {
      const key = wasm.recoverPublicKeyUncompressed(rs, yParity, hash)
      return typeof key === 'string' ? undefined : key
    },
    sign(hash, privateKey) {
      const signed = wasm.signMessageHashRecoverableCompact(privateKey, hash)
      if (typeof signed === 'string') throw new Error('the private key is not usable')
      return { rs: signed.signature, yParity: signed.recoveryId === 1 ? 1 : 0 }
    },
    publicKeyOf(privateKey) {
      const key = wasm.derivePublicKeyUncompressed(privateKey)
      if (typeof key === 'string') throw new Error('the private key is not usable')
      return key
    },
  }
}
