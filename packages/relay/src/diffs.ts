import type { Hex } from '@pit/chain'
import type { Extras } from '@pit/protocol'
import { type Built, packed } from './planHash.ts'

/** One field of a transaction that differs from the plan, as in NOT_AS_BUILT. */
export type Diff = Exclude<NonNullable<Extras['diffs']>[number], string>

/** Bytes of calldata shown around its first difference. */
const SHOWN_BYTES = 32

/** Differences to the key's closest plan: fewest fields first, then the longest common calldata. */
export function diffsAgainst(plans: readonly Built[], got: Built): Diff[] {
  const ranked = plans.map((plan) => ({
    diffs: diffsOf(plan, got),
    common: commonBytes(plan.data, got.data),
  }))
  ranked.sort((a, b) => a.diffs.length - b.diffs.length || b.common - a.common)
  const nearest = ranked[0]
  if (nearest) return nearest.diffs
  return [
    {
      field: 'plan',
      expected: 'a transaction built for this key by prepare, build, revoke or a session trade',
      got: 'no recent transaction was built for this key',
    },
  ]
}

export function diffsOf(expected: Built, got: Built): Diff[] {
  const diffs: Diff[] = []
  const [asked, sent] = [expected.authorizations, got.authorizations]
  if (!asked !== !sent) diffs.push({ field: 'type', expected: asked ? 4 : 2, got: sent ? 4 : 2 })
  else if (asked && sent && packed(asked) !== packed(sent)) {
    diffs.push({ field: 'authorization_list', expected: listed(asked), got: listed(sent) })
  }
  if (expected.from !== got.from) diffs.push({ field: 'from', expected: expected.from, got: got.from })
  if (expected.to !== got.to) diffs.push({ field: 'to', expected: expected.to, got: got.to })
  if (expected.valueWei !== got.valueWei) {
    diffs.push({ field: 'value', expected: expected.valueWei.toString(), got: got.valueWei.toString() })
  }
  if (expected.data !== got.data) diffs.push(dataDiff(expected.data, got.data))
  return diffs
}

/** The fields of an authorization that a person can compare. */
const listed = (authorizations: NonNullable<Built['authorizations']>) =>
  authorizations.map(({ chainId, address, nonce }) => ({ chain_id: chainId, address, nonce }))

function dataDiff(expected: Hex, got: Hex): Diff {
  const at = commonBytes(expected, got)
  const shown = (data: Hex) => `0x${data.slice(2 + 2 * at, 2 + 2 * (at + SHOWN_BYTES))}`
  return {
    field: 'data',
    expected: shown(expected),
    got: shown(got),
    first_difference: at,
    expected_bytes: bytesIn(expected),
    got_bytes: bytesIn(got),
  }
}

const bytesIn = (data: Hex): number => (data.length - 2) / 2

function commonBytes(a: Hex, b: Hex): number {
  const shorter = Math.min(a.length, b.length)
  let at = 2
  while (at < shorter && a[at] === b[at]) at++
  return Math.floor((at - 2) / 2)
}
