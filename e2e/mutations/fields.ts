import type { Hex } from '@pit/chain'
import type { Account } from 'viem/accounts'
import type { Random } from '../fuzz/random.ts'
import { byteClasses, rebyted, recommanded, reworded } from './calldata.ts'
import type { Good, PlainTx, Signer } from './validPlans.ts'

/** A submission that must not be relayed. */
export interface Mutant {
  /** The change. */
  name: string
  key: string
  body: Record<string, unknown>
  /** Its raw bytes. */
  raws: Hex[]
  /** Accepted error codes. */
  codes: readonly string[]
  /** Field that the answer must name. */
  field?: string
}

export interface Ground {
  goods: readonly Good[]
  others: readonly Signer[]
  random: Random
  /** Position of the sweep over every byte of every calldata. */
  sweep: { good: number; at: number }
}

const NOT_BUILT = ['NOT_AS_BUILT']
const ZERO: Hex = '0x0000000000000000000000000000000000000000'
type Make = (good: Good, ground: Ground) => Mutant | Promise<Mutant>

const single = (name: string, { signer }: Good, raw: Hex, rest: Partial<Mutant> = {}): Mutant => ({
  name,
  key: signer.key,
  body: { raw_tx: raw },
  raws: [raw],
  codes: NOT_BUILT,
  ...rest,
})
/** Changed and signed again with the right key: only the change itself can be the fault. */
const resigned = (name: string, good: Good, change: Partial<PlainTx>, rest: Partial<Mutant> = {}): Mutant =>
  single(name, good, good.signer.signPlain({ ...good.tx, ...change }).raw, rest)
const data = (name: string, good: Good, changed: Hex): Mutant =>
  resigned(`data: ${name}`, good, { data: changed }, { field: 'data' })

/** Fields that must be as built, each signed again; and other keys' plans, other wallets' signatures. */
export const FIELD_WAYS: Record<string, Make> = {
  data_class(good, { random }) {
    if (good.tx.data === '0x') return data('bytes where there were none', good, '0x00')
    const { name, at } = random.pick(byteClasses(good.tx.data))
    return data(name, good, rebyted(good.tx.data, random.pick(at), random))
  },
  data_sweep(_, { goods, sweep, random }) {
    const good = goods[sweep.good % goods.length]!
    const length = (good.tx.data.length - 2) / 2
    const at = sweep.at++
    if (at + 1 >= length) {
      sweep.good++
      sweep.at = 0
    }
    return length === 0
      ? data('bytes where there were none', good, '0x00')
      : data('each byte in turn', good, rebyted(good.tx.data, at, random))
  },
  data_word: (good, { random, others }) =>
    data('a word', good, reworded(good.tx.data, random, [ZERO, good.signer.wallet, others[0]!.wallet])),
  data_command: (good, { random, others }) =>
    data('a command', good, recommanded(good.tx.data, random, others[0]!.wallet)),
  data_longer: (good, { random }) =>
    data('longer', good, `${good.tx.data}${random.bytes(1 + random.below(64)).toString('hex')}`),
  data_shorter: (good, { random }) =>
    data('shorter', good, good.tx.data.slice(0, 2 + 2 * random.below((good.tx.data.length - 2) / 2)) as Hex),
  data_none: (good) => data('none', good, '0x'),
  to(good, { random, others }) {
    const to = random.pick([
      rebyted(good.tx.to!, random.below(20), random),
      ZERO,
      good.signer.wallet,
      others[0]!.wallet,
    ])
    return resigned('to', good, { to }, { field: 'to' })
  },
  async to_nobody(good) {
    const { account, key } = good.signer
    const { accessList: _, type: __, to: ___, ...tx } = good.tx
    const raw = await signWith(account, { ...tx, type: 'eip1559' })
    return { ...single('a contract made', good, raw), key, codes: ['ROUTER_NOT_ALLOWED'] }
  },
  value(good, { random }) {
    const { value } = good.tx
    const values = [value + 1n, value * 2n + 7n, 0n, value > 0n ? value - 1n : 1n, 1n << 255n]
    return resigned('value', good, { value: random.pick(values) }, { field: 'value' })
  },
  chain_id: (good, { random }) =>
    resigned(
      'chain id',
      good,
      { chainId: random.pick([0, 1, 10, 4662, 4664, 8453, 46630]) },
      { field: 'chain_id' },
    ),
  access_list: (good, { random }) =>
    resigned(
      'access list',
      good,
      {
        accessList: [
          { address: good.tx.to!, storageKeys: random.chance(0.5) ? [] : [`0x${'00'.repeat(32)}`] },
        ],
      },
      { field: 'access_list' },
    ),
  async tx_type(good, { random }) {
    const { account } = good.signer
    const { accessList: _, type: __, maxFeePerGas, maxPriorityFeePerGas, chainId, ...tx } = good.tx
    const priced = { ...tx, to: tx.to!, gasPrice: maxFeePerGas }
    const raw = await random.pick([
      () => signWith(account, { ...priced, chainId, type: 'legacy' }),
      () => signWith(account, { ...priced, type: 'legacy' }),
      () => signWith(account, { ...priced, chainId, type: 'eip2930' }),
      async () =>
        signWith(account, {
          ...tx,
          to: tx.to!,
          chainId,
          maxFeePerGas,
          maxPriorityFeePerGas,
          type: 'eip7702',
          authorizationList: [
            await account.signAuthorization!({ contractAddress: tx.to!, chainId, nonce: tx.nonce + 1 }),
          ],
        }),
    ])()
    return single('type', good, raw, { field: 'type' })
  },
  swapped(good, { goods, random }) {
    const other = random.pick(
      goods.filter(
        ({ tx }) => tx.data !== good.tx.data && (tx.to !== good.tx.to || tx.value !== good.tx.value),
      ),
    )
    const { to, value, data: call } = other.tx
    const parts = [
      { to, value },
      { to, data: call },
      { value, data: call },
      { to },
      { value },
      { data: call },
    ].filter((part) => differs({ ...good.tx, ...part }, goods, good.signer))
    if (parts.length === 0) return data('none', good, '0x')
    return resigned('fields of two plans', good, random.pick(parts))
  },
  others_signature(good, { others }) {
    const other = others.find(({ wallet }) => wallet !== good.signer.wallet)!
    const { raw } = other.signPlain(good.tx)
    return single('another wallet’s signature', good, raw, { codes: ['WALLET_MISMATCH'] })
  },
  others_plan(good, { others, goods }) {
    const other = others.find(({ wallet }) => wallet !== good.signer.wallet)!
    // Two wallets may get the same call in the same second: then it is the wallet's own plan.
    if (!differs(good.tx, goods, other)) return data('none', good, '0x')
    const { raw } = other.signPlain(good.tx)
    return single('another wallet’s plan, signed by this wallet', good, raw, { key: other.key })
  },
  others_key(good, { others }) {
    const other = others.find(({ wallet }) => wallet !== good.signer.wallet)!
    return single('another wallet’s key', good, good.raw, { key: other.key, codes: ['WALLET_MISMATCH'] })
  },
  second_key: (good) => single('another key of the wallet', good, good.raw, { key: good.signer.otherKey }),
}

/** Excludes another plan of the same key. */
const differs = ({ to, value, data: call }: PlainTx, goods: readonly Good[], signer: Signer): boolean =>
  !goods.some(
    (one) => one.signer === signer && one.tx.to === to && one.tx.value === value && one.tx.data === call,
  )

const signWith = (account: Account, tx: object): Promise<Hex> => account.signTransaction!(tx as never)
