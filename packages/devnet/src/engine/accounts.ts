import { pbkdf2Sync } from 'node:crypto'
import { HDKey, privateKeyToAddress } from 'viem/accounts'
import type { Hex } from './types.ts'

/** The well-known test mnemonic: these keys are public, never hold anything of value on them. */
export const PUBLIC_MNEMONIC = 'test test test test test test test test test test test junk'

export interface OwnedAccount {
  address: Hex
  privateKey: Hex
}

/** The first `count` accounts of the public mnemonic at m/44'/60'/0'/0/i, addresses in lower case. */
export function publicAccounts(count = 10): OwnedAccount[] {
  // node's pbkdf2 is two orders faster than the one in viem's mnemonicToAccount.
  const seed = pbkdf2Sync(PUBLIC_MNEMONIC, 'mnemonic', 2048, 64, 'sha512')
  const parent = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0")
  return Array.from({ length: count }, (_, index) => {
    const key = parent.deriveChild(index).privateKey
    if (!key) throw new Error('the public mnemonic derived no key')
    const privateKey: Hex = `0x${Buffer.from(key).toString('hex')}`
    return { address: privateKeyToAddress(privateKey).toLowerCase() as Hex, privateKey }
  })
}
