import fc from 'fast-check'
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  hashTypedData,
  numberToHex,
  parseAbiParameters,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { delegationManagerAbi } from '../abis/index.ts'
import { type Address, bytesToHex, type Hex } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { CURVE_ORDER } from '../crypto/signature.ts'
import { delegationAddresses, delegationOf } from './addresses.ts'
import { type CaveatTerms, decodeCaveat, encodeCaveat } from './caveats.ts'
import { decodeDelegations, encodeDelegations } from './encode.ts'
import { delegationDigest, delegationHash, delegationTypedData } from './hash.ts'
import { decodeRedeem, encodeDisable, encodeEnable, encodeRedeem } from './redeem.ts'
import { delegationSigner, normalizeSignature, signDelegation } from './sign.ts'
import { type Delegation, ENFORCERS, type Execution, type Redemption } from './types.ts'

// Thousands of inputs through viem, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const crypto = await createCrypto()
const profile = {
  chain_id: 4663,
  delegation: {
    delegation_manager: '0xdb9B1e94B5b69Df7e401DDbedE43491141047dB3',
    stateless_delegator: '0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B',
    enforcers: Object.fromEntries(
      ENFORCERS.map((name, i) => [`${name}Enforcer`, numberToHex(0xe0 + i, { size: 20 })]),
    ),
  },
}
const addresses = delegationAddresses(profile)

const word = () => fc.uint8Array({ minLength: 32, maxLength: 32 }).map((b) => bytesToHex(b))
const address = () => fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => bytesToHex(b) as Address)
const bytes = (maxLength = 100) => fc.uint8Array({ maxLength }).map((b) => bytesToHex(b))
const uint256 = () => fc.oneof(fc.constantFrom(0n, 1n, (1n << 256n) - 1n), fc.bigInt(0n, (1n << 256n) - 1n))
const seconds = () => fc.nat({ max: 2 ** 40 })

const delegation = (): fc.Arbitrary<Delegation> =>
  fc.record({
    delegate: address(),
    delegator: address(),
    authority: word(),
    caveats: fc.array(fc.record({ enforcer: address(), terms: bytes(), args: bytes() }), { maxLength: 5 }),
    salt: uint256(),
    signature: bytes(),
  })
const execution = (): fc.Arbitrary<Execution> =>
  fc.record({ target: address(), valueWei: uint256(), data: bytes(300) })
const redemptions = (): fc.Arbitrary<Redemption[]> =>
  fc.array(fc.record({ delegations: fc.array(delegation(), { maxLength: 3 }), execution: execution() }), {
    maxLength: 3,
  })
const CONTEXT = parseAbiParameters([
  'Delegation[] delegations',
  'struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }',
  'struct Caveat { address enforcer; bytes terms; bytes args; }',
])
const packed = ({ target, valueWei, data }: Execution): Hex =>
  encodePacked(['address', 'uint256', 'bytes'], [target, valueWei, data])

describe('delegations', () => {
  it('are hashed as viem hashes their typed data', () => {
    fc.assert(
      fc.property(delegation(), (one) => {
        expect(delegationDigest(crypto, addresses, one)).toBe(
          hashTypedData(delegationTypedData(addresses, one)),
        )
        expect(delegationHash(crypto, { ...one, signature: '0x' })).toBe(delegationHash(crypto, one))
      }),
    )
  })

  it('are encoded and disabled as viem does it, and read back', () => {
    fc.assert(
      fc.property(fc.array(delegation(), { maxLength: 4 }), (many) => {
        const context = encodeDelegations(many)
        expect(context).toBe(encodeAbiParameters(CONTEXT, [many]))
        expect(decodeDelegations(context)).toEqual(many)
        for (const one of many) {
          const call = { abi: delegationManagerAbi, args: [one] } as const
          expect(encodeDisable(one)).toBe(encodeFunctionData({ ...call, functionName: 'disableDelegation' }))
          expect(encodeEnable(one)).toBe(encodeFunctionData({ ...call, functionName: 'enableDelegation' }))
        }
      }),
    )
  })

  it('with a field too long are never written', () => {
    const one = fc.sample(delegation(), 1)[0]!
    expect(() => encodeDelegations([{ ...one, authority: '0x01' }])).toThrow(RangeError)
    expect(() => delegationHash(crypto, { ...one, salt: 1n << 256n })).toThrow(RangeError)
    expect(() => delegationHash(crypto, { ...one, delegate: '0x01' })).toThrow(TypeError)
  })

  it('need every enforcer of the profile', () => {
    const { delegation } = profile
    const enforcers = { ...delegation.enforcers, IdEnforcer: undefined as unknown as string }
    expect(() => delegationAddresses({ ...profile, delegation: { ...delegation, enforcers } })).toThrow(
      'IdEnforcer',
    )
  })
})

describe('redeemDelegations', () => {
  const viemRedeem = (many: readonly Redemption[], modes?: Hex[]): Hex =>
    encodeFunctionData({
      abi: delegationManagerAbi,
      functionName: 'redeemDelegations',
      args: [
        many.map(({ delegations }) => encodeAbiParameters(CONTEXT, [delegations])),
        modes ?? many.map(() => numberToHex(0, { size: 32 })),
        many.map((one) => packed(one.execution)),
      ],
    })

  it('is encoded as viem does it, and read back', () => {
    fc.assert(
      fc.property(redemptions(), (many) => {
        const data = encodeRedeem(many)
        expect(data).toBe(viemRedeem(many))
        expect(decodeRedeem(data)).toEqual({ ok: true, redemptions: many })
      }),
    )
  })

  it('has no second reading: every changed byte says something else or is refused', () => {
    const [many] = fc.sample(
      redemptions().filter((some) => some.length > 0 && some[0]!.delegations.length > 0),
      { numRuns: 1, seed: 7 },
    )
    const data = encodeRedeem(many!)
    const plain = JSON.stringify(many, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    for (let at = 2; at < data.length; at += 2) {
      const other = (Number.parseInt(data.slice(at, at + 2), 16) ^ 0x20).toString(16).padStart(2, '0')
      const read = decodeRedeem(data.slice(0, at) + other + data.slice(at + 2))
      if (!read.ok) continue
      expect(JSON.stringify(read.redemptions, (_, v) => (typeof v === 'bigint' ? `${v}` : v))).not.toBe(plain)
    }
  })

  it('is read in single mode only', () => {
    const many = fc.sample(
      redemptions().filter((some) => some.length === 1),
      1,
    )[0]!
    for (const mode of ['0x01', '0x0001', '0xff', `0x${'00'.repeat(31)}01`] as Hex[]) {
      const padded: Hex = `0x${mode.slice(2).padEnd(64, '0')}`
      expect(decodeRedeem(viemRedeem(many, [padded]))).toEqual({ ok: false, why: 'MODE' })
    }
    expect(decodeRedeem('0x24856bc3')).toEqual({ ok: false, why: 'SELECTOR' })
    expect(decodeRedeem('0xcef6d209')).toEqual({ ok: false, why: 'NOT_CANONICAL' })
    expect(decodeRedeem('0xcef6d2')).toEqual({ ok: false, why: 'SELECTOR' })
    expect(decodeRedeem('cef6d209')).toEqual({ ok: false, why: 'NOT_HEX' })
    expect(decodeRedeem(`${encodeRedeem(many)}00`)).toEqual({ ok: false, why: 'NOT_CANONICAL' })
  })

  it('is refused before it is built when offsets share one long item', () => {
    // Gigabytes, if each offset were followed.
    const [count, size] = [50_000, 100_000]
    const heads = (value: number) => numberToHex(value, { size: 32 }).slice(2)
    const [one] = fc.sample(delegation(), { numRuns: 1, seed: 3 })
    const tuple = encodeDelegations([{ ...one!, signature: `0x${'11'.repeat(size)}` }]).slice(2 + 3 * 64)
    const shared = heads(count) + heads(32 * count).repeat(count) + tuple
    expect(decodeDelegations(`0x${heads(32)}${shared}`)).toBeUndefined()
    const modes = heads(count) + '0'.repeat(64 * count)
    const modesAt = 0x60 + shared.length / 2
    const data = `0xcef6d209${heads(0x60)}${heads(modesAt)}${heads(0x60)}${shared}${modes}`
    expect(decodeRedeem(data)).toEqual({ ok: false, why: 'NOT_CANONICAL' })
  })
})

describe('caveat terms', () => {
  const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 1, maxLength: 4 })
  const selector = () => fc.uint8Array({ minLength: 4, maxLength: 4 }).map((b) => bytesToHex(b))
  const half = (value: number): Hex => numberToHex(value, { size: 16 })
  const whole = (value: bigint | number): Hex => numberToHex(value, { size: 32 })
  /** How the contracts' own sources lay their terms out. */
  const laidOut = (terms: CaveatTerms): Hex => {
    switch (terms.enforcer) {
      case 'Redeemer':
        return concat([...terms.redeemers])
      case 'AllowedTargets':
        return concat([...terms.targets])
      case 'AllowedMethods':
        return concat([...terms.selectors])
      case 'Timestamp':
        return concat([half(terms.afterS), half(terms.beforeS)])
      case 'LimitedCalls':
        return whole(terms.limit)
      case 'NativeTokenPeriodTransfer':
        return concat([whole(terms.amountWei), whole(terms.periodS), whole(terms.startS)])
      case 'ValueLte':
        return whole(terms.valueWei)
      case 'ExactExecution':
        return packed(terms.execution)
      case 'Id':
        return whole(terms.id)
      case 'ExactCalldata':
        return terms.data
      case 'NativeTokenPayment':
        return concat([terms.recipient, whole(terms.amountWei)])
      case 'ArgsEqualityCheck':
        return concat([terms.delegationHash, terms.redeemer])
      case 'Nonce':
        return whole(terms.nonce)
    }
  }
  const kind = <Name extends CaveatTerms['enforcer']>(enforcer: Name) => fc.constant(enforcer)
  const anyTerms = (): fc.Arbitrary<CaveatTerms> =>
    fc.oneof(
      fc.record({ enforcer: kind('Redeemer'), redeemers: list(address()) }),
      fc.record({ enforcer: kind('AllowedTargets'), targets: list(address()) }),
      fc.record({ enforcer: kind('AllowedMethods'), selectors: list(selector()) }),
      fc.record({ enforcer: kind('Timestamp'), afterS: seconds(), beforeS: seconds() }),
      fc.record({ enforcer: kind('LimitedCalls'), limit: seconds() }),
      fc.record({
        enforcer: kind('NativeTokenPeriodTransfer'),
        amountWei: uint256(),
        periodS: seconds(),
        startS: seconds(),
      }),
      fc.record({ enforcer: kind('ValueLte'), valueWei: uint256() }),
      fc.record({ enforcer: kind('ExactExecution'), execution: execution() }),
      fc.record({ enforcer: kind('Id'), id: uint256() }),
      fc.record({ enforcer: kind('ExactCalldata'), data: bytes() }),
      fc.record({ enforcer: kind('NativeTokenPayment'), recipient: address(), amountWei: uint256() }),
      fc.record({ enforcer: kind('ArgsEqualityCheck'), delegationHash: word(), redeemer: address() }),
      fc.record({ enforcer: kind('Nonce'), nonce: uint256() }),
    )

  it('are laid out as the enforcers read them, and read back', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyTerms(), (terms) => {
        const caveat = encodeCaveat(addresses, terms)
        expect(caveat).toEqual({
          enforcer: addresses.enforcers[terms.enforcer],
          terms: laidOut(terms),
          args: '0x',
        })
        expect(decodeCaveat(addresses, caveat)).toEqual(terms)
        seen.add(terms.enforcer)
      }),
      { numRuns: 500 },
    )
    expect([...seen].sort()).toEqual([...ENFORCERS].sort())
  })

  it('of another length, and of enforcers not used, are not read', () => {
    fc.assert(
      fc.property(anyTerms(), (terms) => {
        const caveat = encodeCaveat(addresses, terms)
        const longer = decodeCaveat(addresses, { ...caveat, terms: `${caveat.terms}00` })
        if (longer) expect(['ExactExecution', 'ExactCalldata']).toContain(terms.enforcer)
        expect(decodeCaveat(addresses, { ...caveat, enforcer: addresses.manager })).toBeUndefined()
      }),
    )
    const far = {
      enforcer: addresses.enforcers.LimitedCalls,
      terms: numberToHex(1n << 60n, { size: 32 }),
      args: '0x' as const,
    }
    expect(decodeCaveat(addresses, far)).toBeUndefined()
    for (const name of ENFORCERS) {
      if (name === 'ExactCalldata') continue
      expect(
        decodeCaveat(addresses, { enforcer: addresses.enforcers[name], terms: '0x', args: '0x' }),
      ).toBeUndefined()
    }
    expect(() => encodeCaveat(addresses, { enforcer: 'Redeemer', redeemers: [] })).toThrow(RangeError)
  })
})

describe('signatures', () => {
  const key: Hex = `0x${'4f'.repeat(32)}`
  const account = privateKeyToAccount(key)
  const one = fc.sample(delegation(), { numRuns: 1, seed: 11 })[0]!
  const signed = signDelegation(crypto, addresses, one, key)

  it('are what viem signs', async () => {
    expect(signed.signature).toBe(await account.signTypedData(delegationTypedData(addresses, one)))
    expect(delegationSigner(crypto, addresses, signed)).toBe(account.address.toLowerCase())
  })

  it('are brought into the one form the contracts take', () => {
    const { signature } = signed
    const [rs, v] = [signature.slice(0, -2), signature.slice(-2)]
    const s = BigInt(`0x${signature.slice(66, 130)}`)
    const highS = (CURVE_ORDER - s).toString(16).padStart(64, '0')
    const highV = v === '1b' ? '1c' : '1b'
    for (const same of [
      signature,
      `${rs}${v === '1b' ? '00' : '01'}`,
      `${signature.slice(0, 66)}${highS}${highV}`,
      `${signature.slice(0, 66)}${highS}${v === '1b' ? '01' : '00'}`,
      `0x${signature.slice(2).toUpperCase()}`,
    ]) {
      expect(normalizeSignature(same)).toBe(signature)
    }
    // Only in that form they count: the contracts take no other.
    expect(delegationSigner(crypto, addresses, { ...signed, signature: `${rs as Hex}00` })).toBeUndefined()
    const high: Hex = `${signature.slice(0, 66) as Hex}${highS}${highV}`
    expect(delegationSigner(crypto, addresses, { ...signed, signature: high })).toBeUndefined()
  })

  it.each(['0x', 'text', `0x${'11'.repeat(64)}`, `0x${'11'.repeat(64)}1d`, `0x${'00'.repeat(64)}1b`])(
    '%s is none',
    (bad) => expect(normalizeSignature(bad)).toBeUndefined(),
  )

  it('recover another signer if any signed field differs', () => {
    const signer = account.address.toLowerCase()
    expect(delegationSigner(crypto, { ...addresses, chainId: 1 }, signed)).not.toBe(signer)
    expect(delegationSigner(crypto, { ...addresses, manager: one.delegate }, signed)).not.toBe(signer)
    expect(delegationSigner(crypto, addresses, { ...signed, salt: signed.salt ^ 1n })).not.toBe(signer)
    const args = signed.caveats.map((caveat) => ({ ...caveat, args: '0x01' as const }))
    expect(delegationSigner(crypto, addresses, { ...signed, caveats: args })).toBe(signer)
  })
})

it('tells a delegated account from any other', () => {
  const to: Address = `0x${'ab'.repeat(20)}`
  expect(delegationOf(`0xef0100${to.slice(2)}`)).toBe(to)
  expect(delegationOf(`0xEF0100${to.slice(2).toUpperCase()}` as Hex)).toBe(to)
  expect(delegationOf('0x')).toBeNull()
  expect(delegationOf(`0xef0100${to.slice(2)}00`)).toBeNull()
  expect(delegationOf(`0xef0101${to.slice(2)}`)).toBeNull()
  expect(delegationOf(`0x6001${to.slice(2)}`)).toBeNull()
})
