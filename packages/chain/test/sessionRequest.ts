import { numberToHex } from 'viem'
import type { Address, Hex } from '../src/bytes/hex.ts'
import { createCrypto } from '../src/crypto/createCrypto.ts'
import { delegationAddresses } from '../src/delegation/addresses.ts'
import { decodeCaveat } from '../src/delegation/caveats.ts'
import { readRoot, type SessionRoot } from '../src/delegation/root.ts'
import type { RootRequest } from '../src/delegation/sessionRoots.ts'
import { type Delegation, ENFORCERS } from '../src/delegation/types.ts'

export const crypto = await createCrypto()
export const addresses = delegationAddresses({
  chain_id: 4663,
  delegation: {
    delegation_manager: '0xdb9B1e94B5b69Df7e401DDbedE43491141047dB3',
    stateless_delegator: '0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B',
    enforcers: Object.fromEntries(
      ENFORCERS.map((name, i) => [`${name}Enforcer`, numberToHex(0xe0 + i, { size: 20 })]),
    ),
  },
})
export const at = (digit: string) => `0x${digit.repeat(40)}` as Address
export const [ETH, USDG] = [at('0'), at('5')]
export const NOW = 1_768_478_400
export const binding: RootRequest['binding'] = {
  chain_id: 4663,
  wallet: at('1'),
  executor: at('2'),
  cosigner: at('3'),
  router: at('4'),
  tokens: [ETH, USDG],
  limits: { max_trades: 50 },
  expires_at: NOW + 86_400,
  fee: { recipient: at('6') },
}
export const bindingHash: Hex = `0x0${'a'.repeat(63)}`
export const eth = { dayWei: 10n ** 18n + 1n, tradeWei: 25n * 10n ** 16n }
export const request: RootRequest = { binding, bindingHash, eth, nowS: NOW }
export const curves = [at('9'), at('8')]

export const rootOf = <Kind extends SessionRoot['kind']>(kind: Kind, delegation: Delegation) => {
  const root = readRoot(crypto, addresses, delegation)
  if (root?.kind !== kind) throw new Error(`read as ${root?.kind}`)
  return root as Extract<SessionRoot, { kind: Kind }>
}
export const caveatsOf = ({ caveats }: Delegation) => caveats.map((caveat) => decodeCaveat(addresses, caveat))
