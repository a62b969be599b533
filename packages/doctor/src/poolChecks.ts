import { type Address, type Hex, NATIVE } from '@pit/chain'
import type { ChainProfile, PoolPin } from '@pit/protocol'
import { encodeAbiParameters, getContractAddress, keccak256 } from 'viem'
import { addressSaid, getter, numberSaid, type Said, same, sayAll } from './asking.ts'
import { ASK_AGAIN, type Examination, type Finding, fail, ok, unknown } from './types.ts'

interface Pinned {
  name: string
  pin: PoolPin
  /** Symbols of its two tokens. */
  ends: [string, string]
}

/** Checks that a pinned pool trades the pinned tokens at the pinned fee. */
export const examinePools: Examination = async (deps) => {
  const pins = pinsIn(deps.profile)
  const onChain = pins.filter(({ pin }) => pin.version !== 'v4')
  const said = await sayAll(
    deps,
    onChain.flatMap(({ pin }) => {
      const { address } = pin as PoolPin & { address: string }
      const fee = pin.version === 'v3' ? 'fee()' : 'factory()'
      return [getter(address, 'token0()'), getter(address, 'token1()'), getter(address, fee)]
    }),
  )
  const read = onChain.map((one, i) => findingOf(deps.profile, one, said.slice(3 * i, 3 * i + 3)))
  const byKey = pins.filter(({ pin }) => pin.version === 'v4').map((one) => keyFinding(deps.profile, one))
  return [...read, ...byKey]
}

function pinsIn(profile: ChainProfile): Pinned[] {
  const { partner_usdg, reference_pools, fast_pools } = profile.pins
  const partner: Pinned[] = partner_usdg
    ? [{ name: 'pool partner_usdg', pin: partner_usdg, ends: ['PARTNER', 'USDG'] }]
    : []
  const reference = Object.entries(reference_pools).flatMap(([symbol, pins]) =>
    pins.map(
      (pin, i): Pinned => ({ name: `pool reference ${symbol} ${i + 1}`, pin, ends: [symbol, 'USDG'] }),
    ),
  )
  const fast = Object.entries(fast_pools).map(([pair, pin]): Pinned => {
    const [from = '', to = ''] = pair.split('/')
    return { name: `pool fast ${pair}`, pin, ends: [from, to] }
  })
  return [...partner, ...reference, ...fast]
}

const CORRECT = 'It would price or route other tokens: correct the pin.'

/** ETH and WETH are interchangeable here: one unwraps to the other. */
function areEnds(
  { core_tokens, contracts }: ChainProfile,
  pair: [string, string],
  ends: [string, string],
): boolean {
  const wrapped = (token: string) => (same(token, NATIVE) ? (contracts.weth ?? token) : token).toLowerCase()
  const named = ends.map((symbol) => core_tokens.find((token) => token.symbol === symbol)?.address)
  if (named.some((token) => token === undefined)) return false
  const sorted = (tokens: readonly string[]) => tokens.map(wrapped).sort().join()
  return sorted(pair) === sorted(named as string[])
}

function findingOf(profile: ChainProfile, { name, pin, ends }: Pinned, said: Said[]): Finding {
  const { address } = pin as PoolPin & { address: string }
  if (said[0] === undefined) return unknown(name, 'no answer from the node', ASK_AGAIN)
  const [token0, token1] = [addressSaid(said[0]), addressSaid(said[1])]
  if (token0 === null || token1 === null) return fail(name, `${address} is not a pool`, CORRECT)
  if (!areEnds(profile, [token0, token1], ends))
    return fail(name, `it trades ${token0} and ${token1}`, CORRECT)
  if (pin.version === 'v3') {
    if (numberSaid(said[2]) !== pin.fee) return fail(name, `its fee is ${numberSaid(said[2])}`, CORRECT)
    const made = v3Address(profile, { token0, token1, fee: pin.fee })
    if (made !== null && !same(made, address))
      return fail(
        name,
        `factory and init code hash give address ${made}`,
        'Correct v3_factory or v3_pool_init_code_hash: the router derives pool addresses from them.',
      )
  }
  return ok(name, `${ends.join('/')} at ${address}`)
}

function v3Address(
  { contracts: { v3_factory, v3_pool_init_code_hash } }: ChainProfile,
  { token0, token1, fee }: { token0: Address; token1: Address; fee: number },
): Address | null {
  if (v3_factory === null || v3_pool_init_code_hash === null) return null
  const types = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const
  return getContractAddress({
    opcode: 'CREATE2',
    from: v3_factory.toLowerCase() as Address,
    salt: keccak256(encodeAbiParameters(types, [token0, token1, fee])),
    bytecodeHash: v3_pool_init_code_hash as Hex,
  })
}

/** A v4 pool is identified by its key, so the pin itself holds its currencies. */
function keyFinding(profile: ChainProfile, { name, pin, ends }: Pinned): Finding {
  if (pin.version !== 'v4') return ok(name, 'not a v4 pool')
  const { currency0, currency1 } = pin
  return areEnds(profile, [currency0, currency1], ends)
    ? ok(name, `${ends.join('/')} by pool key`)
    : fail(name, `its key has ${currency0} and ${currency1}`, CORRECT)
}
