import { type Delegation, decodeDelegations, encodeDisable, type Hex, readRoot } from '@pit/chain'
import type { ClientDeps } from '../deps.ts'
import { broken, must } from '../errors.ts'
import { stepOf } from './facts.ts'
import { hashing } from './grant.ts'

/** disableDelegation((address,address,bytes32,(address,bytes,bytes)[],uint256,bytes)) with its offset. */
const DISABLE = /^0x49934047(0{62}20)(.*)$/

/** The root that a server's step ends: a session's root of this wallet, and nothing else in the call. */
export function rootIn(
  { pins, account }: Pick<ClientDeps, 'pins' | 'account'>,
  tx: { to: string; value: string; data: string },
): Delegation {
  const { to, value, data } = stepOf(tx)
  const isCall = to === pins.addresses.manager && value === 0n
  must(isCall, 'RECIPIENT', 'a step does more than revoke the session')
  const delegation = delegationIn(data)
  if (!delegation) return broken('RECIPIENT', 'a step cannot be decoded as a session revocation')
  must(encodeDisable(delegation) === data, 'RECIPIENT', 'a step is not in canonical encoding')
  const root = readRoot(hashing, pins.addresses, { ...delegation, signature: '0x' })
  const isOwn = root !== undefined && root.wallet === account.address
  must(isOwn, 'RECIPIENT', 'a step revokes something other than a session of this wallet')
  return delegation
}

function delegationIn(data: Hex): Delegation | undefined {
  const [, offset, tuple] = DISABLE.exec(data) ?? []
  // Read as a list of one, which is the same bytes behind a count.
  const count = '1'.padStart(64, '0')
  return tuple ? decodeDelegations(`0x${offset}${count}${offset}${tuple}`)?.[0] : undefined
}
