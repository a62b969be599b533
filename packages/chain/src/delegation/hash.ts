import { type Hex, hexToBytes } from '../bytes/hex.ts'
import { addressWord, bytesDigits, size, uint } from '../bytes/words.ts'
import type { Hashing } from '../crypto/createCrypto.ts'
import type { Delegation, DelegationAddresses } from './types.ts'

const DELEGATION_TYPES = {
  Caveat: [
    { name: 'enforcer', type: 'address' },
    { name: 'terms', type: 'bytes' },
  ],
  Delegation: [
    { name: 'delegate', type: 'address' },
    { name: 'delegator', type: 'address' },
    { name: 'authority', type: 'bytes32' },
    { name: 'caveats', type: 'Caveat[]' },
    { name: 'salt', type: 'uint256' },
  ],
} as const

const CAVEAT_TYPE = 'Caveat(address enforcer,bytes terms)'
const DELEGATION_FIELDS = 'address delegate,address delegator,bytes32 authority,Caveat[] caveats,uint256 salt'
const DELEGATION_TYPE = `Delegation(${DELEGATION_FIELDS})${CAVEAT_TYPE}`
const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const DOMAIN = { name: 'DelegationManager', version: '1' } as const

/** The authority of a delegation that stands on its own. */
export const ROOT_AUTHORITY: Hex = `0x${'f'.repeat(64)}`

/** The hash a delegator signs. */
export function delegationTypedData({ chainId, manager }: DelegationAddresses, delegation: Delegation) {
  const { delegate, delegator, authority, caveats, salt } = delegation
  return {
    domain: { ...DOMAIN, chainId, verifyingContract: manager },
    types: DELEGATION_TYPES,
    primaryType: 'Delegation',
    message: {
      delegate,
      delegator,
      authority,
      caveats: caveats.map(({ enforcer, terms }) => ({ enforcer, terms })),
      salt,
    },
  } as const
}

/** The manager's own getDelegationHash: it names a delegation, whatever its chain, signature and args. */
export function delegationHash(crypto: Hashing, delegation: Delegation): Hex {
  const hash = (digits: string): string => crypto.keccak256(hexToBytes(`0x${digits}`)).slice(2)
  const caveatType = crypto.keccakText(CAVEAT_TYPE).slice(2)
  let caveats = ''
  for (const { enforcer, terms } of delegation.caveats) {
    caveats += hash(caveatType + addressWord(enforcer) + hash(bytesDigits(terms)))
  }
  const digits =
    crypto.keccakText(DELEGATION_TYPE).slice(2) +
    addressWord(delegation.delegate) +
    addressWord(delegation.delegator) +
    authorityDigits(delegation.authority) +
    hash(caveats) +
    uint(delegation.salt)
  return `0x${hash(digits)}`
}

/** The manager's own getDomainHash. */
export function delegationDomainHash(crypto: Hashing, { chainId, manager }: DelegationAddresses): Hex {
  const text = (value: string): string => crypto.keccakText(value).slice(2)
  const digits =
    text(DOMAIN_TYPE) + text(DOMAIN.name) + text(DOMAIN.version) + size(chainId) + addressWord(manager)
  return crypto.keccak256(hexToBytes(`0x${digits}`))
}

/** The hash that is signed: of the typed data above, without a general-purpose encoder. */
export function delegationDigest(
  crypto: Hashing,
  addresses: DelegationAddresses,
  delegation: Delegation,
): Hex {
  const domain = delegationDomainHash(crypto, addresses).slice(2)
  return crypto.keccak256(hexToBytes(`0x1901${domain}${delegationHash(crypto, delegation).slice(2)}`))
}

export function authorityDigits(authority: Hex): string {
  const digits = bytesDigits(authority)
  if (digits.length !== 64) throw new RangeError('an authority is a word')
  return digits
}
