import type { Hex } from '@pit/chain'
import type { Random } from '../fuzz/random.ts'
import type { Mutant } from './fields.ts'
import type { Good, GoodPlan, Signer } from './validPlans.ts'

interface FormGround {
  plans: readonly GoodPlan[]
  others: readonly Signer[]
  random: Random
}
type Make = (ground: FormGround) => Mutant

const together = (
  name: string,
  goods: readonly Good[],
  codes: readonly string[],
  more: Record<string, unknown> = {},
): Mutant => {
  const raws = goods.map(({ raw }) => raw)
  return { name: `form: ${name}`, key: goods[0]!.signer.key, body: { raw_txs: raws, ...more }, raws, codes }
}
const of = ({ goods }: GoodPlan, kind: string): Good => goods.find((good) => good.kind === kind)!
const resign = (good: Good, change: Partial<Good['tx']>): Good => {
  const tx = { ...good.tx, ...change }
  return { ...good, tx, ...good.signer.signPlain(tx) }
}

/** Good transactions combined in a forbidden way: none of them is relayed, not even the good ones. */
export const FORM_WAYS: Record<string, Make> = {
  swap_without_fee({ plans, random }) {
    const swap = of(random.pick(plans.filter(({ apart }) => apart)), 'swap')
    const alone = together('a swap without its fee', [swap], ['FEE_FIRST'])
    return random.chance(0.5) ? alone : { ...alone, body: { raw_tx: swap.raw } }
  },
  swap_first({ plans, random }) {
    const plan = random.pick(plans.filter(({ apart }) => apart))
    return together('the fee after its swap', [of(plan, 'swap'), of(plan, 'fee_transfer')], ['FEE_FIRST'])
  },
  nonces_fall({ plans, random }) {
    const plan = random.pick(plans.filter(({ apart }) => apart))
    const swap = of(plan, 'swap')
    const late = resign(of(plan, 'fee_transfer'), { nonce: swap.tx.nonce + random.below(3) })
    return together('a fee that can be mined after its swap', [late, swap], ['FEE_FIRST'])
  },
  less_fee({ plans }) {
    const [dear, cheap] = ['ETH into a curve', 'less ETH into a curve'].map((name) =>
      plans.find((plan) => plan.name === name),
    ) as [GoodPlan, GoodPlan]
    return together('a smaller plan’s fee', [of(cheap, 'fee_transfer'), of(dear, 'swap')], ['FEE_FIRST'])
  },
  no_such_fee({ plans, random }) {
    const swap = of(random.pick(plans.filter(({ apart }) => apart)), 'swap')
    const fee_tx_hash = random.pick<Hex>([`0x${random.bytes(32).toString('hex')}`, swap.hash])
    return together('a fee that was never sent', [swap], ['FEE_FIRST'], { fee_tx_hash })
  },
  two_swaps({ plans, random }) {
    const swaps = plans
      .filter(({ apart, signer }) => !apart && signer === plans[0]!.signer)
      .map((plan) => of(plan, 'swap'))
    const first = random.pick(swaps)
    const second = random.pick(swaps.filter((swap) => swap !== first))
    const ordered = [first, resign(second, { nonce: first.tx.nonce + 1 })]
    return together('two swaps at once', ordered, ['SUBMIT_REJECTED'])
  },
  two_wallets({ plans, random }) {
    const [mine, theirs] = [plans[0]!, plans.find(({ signer }) => signer !== plans[0]!.signer)!]
    const both = random.chance(0.5) ? [of(mine, 'swap'), of(theirs, 'swap')] : [of(theirs, 'swap')]
    return { ...together('another wallet’s beside', both, ['WALLET_MISMATCH']), key: mine.signer.key }
  },
  one_spoiled({ plans, random }) {
    const plan = random.pick(plans.filter(({ goods }) => goods.length > 1))
    const spoiled = random.below(plan.goods.length)
    const goods = plan.goods.map((good, i) =>
      i === spoiled ? resign(good, { value: good.tx.value + 1n }) : good,
    )
    return together('one of several changed', goods, ['NOT_AS_BUILT'])
  },
  both_names({ plans, random }) {
    const { raw, signer } = of(random.pick(plans), 'swap')
    const body = random.pick<Record<string, unknown>>([
      { raw_tx: raw, raw_txs: [raw] },
      { raw_txs: [] },
      { raw_txs: [raw, raw, raw, raw, raw] },
      { raw_txs: raw },
      { raw_tx: [raw] },
      { raw_tx: null },
      { raw_txs: [raw, null] },
      { rawtx: raw },
      {},
    ])
    return { name: 'form: no such body', key: signer.key, body, raws: [raw], codes: ['BAD_REQUEST'] }
  },
  same_twice({ plans, random }) {
    const good = of(random.pick(plans.filter(({ apart }) => !apart)), 'swap')
    return together('the same twice', [good, good], ['SUBMIT_REJECTED'])
  },
}
