import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect } from 'vitest'
import { createSimulate } from '../../src/engine/simulate.ts'
import type { Chain } from '../../src/engine/types.ts'
import { type PlannedCall, type PlanSource, type Random, randomPlan } from './plan.ts'

interface Log {
  address: Hex
  topics: Hex[]
  data: Hex
}
interface Outcome {
  status: Hex
  gasUsed: bigint
  logs: Log[]
}
interface Answered {
  stateRoot: Hex
  calls: { status: Hex; gasUsed: Hex; logs: Log[]; returnData: Hex }[]
}
interface Setup {
  chain: Chain
  simulate: ReturnType<typeof createSimulate>
  source: PlanSource
}
/** Successes and failures by kind of call. */
export type Tally = Map<string, { good: number; bad: number }>

const FEES = { maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 1_000n }
// BALANCE(calldata word 0), returned.
const TELLER = '0x00000000000000000000000000000000007e11e4'
const TELLER_CODE = '0x6000353160005260206000f3'
const balanceOf = parseAbi(['function balanceOf(address) view returns (uint256)'])

/** Simulates random plans and then sends them from the same state: both must agree in everything. */
export async function holdToReality(setup: Setup, random: Random, rounds: number): Promise<Tally> {
  const tally: Tally = new Map()
  // The last call of a simulation is traced differently from the earlier ones.
  const simulateAlone = createSimulate(setup.chain)
  for (let round = 0; round < rounds; round += 1) {
    const plan = await randomPlan(setup.source, setup.chain, random)
    const where = `plan ${round} (${plan.map(({ kind }) => kind).join(', ')})`
    const timeS = setup.chain.head().timestampS + BigInt(Math.floor(random() * 3))
    const validation = random() < 0.5
    const said = await simulated(setup, plan, timeS, validation)
    const [alone] = (await simulateAlone([
      { validation, blockStateCalls: [planBlock(plan, timeS, validation)] },
      'latest',
    ])) as unknown as Answered[]
    expect(outcomesOf(alone!), `${where}, nothing after it`).toEqual(said.outcomes)
    const done = await sent(setup, plan, timeS)
    const seen = validation ? (outcome: Outcome) => outcome : withoutSenderBalance
    for (const [index, outcome] of done.outcomes.entries()) {
      expect(seen(said.outcomes[index]!), `${where}, call ${index}`).toEqual(seen(outcome))
      count(tally, plan[index]!.kind, outcome)
    }
    for (const [address, wei] of said.ethWei) {
      const fees = validation ? 0n : (done.feesWei.get(address) ?? 0n)
      expect(wei - fees, `${where}, ETH of ${address}`).toBe(done.ethWei.get(address))
    }
    expect(said.tokens, `${where}, tokens`).toEqual(done.tokens)
    // With the fees paid, every account and every word of storage agrees.
    if (validation) expect(said.stateRoot, `${where}, state`).toBe(done.stateRoot)
  }
  return tally
}

/** The plan's block, then a block that only reads: token balances by calls, ETH by a contract. */
async function simulated(
  { simulate, source }: Setup,
  plan: PlannedCall[],
  timeS: bigint,
  validation: boolean,
) {
  const reads = source.holders.flatMap((holder) => [
    { to: TELLER, data: `0x${holder.slice(2).padStart(64, '0')}` },
    ...source.tokens.map((token) => tokenRead(token, holder)),
  ])
  const [block, after] = (await simulate([
    {
      validation,
      blockStateCalls: [
        planBlock(plan, timeS, validation),
        {
          blockOverrides: { baseFeePerGas: '0x0' },
          stateOverrides: { [TELLER]: { code: TELLER_CODE } },
          calls: reads.map((read) => ({ ...read, gas: hex(100_000) })),
        },
      ],
    },
    'latest',
  ])) as unknown as Answered[]
  const words = after!.calls.map(({ returnData }) => BigInt(returnData))
  const each = 1 + source.tokens.length
  return {
    stateRoot: block!.stateRoot,
    outcomes: outcomesOf(block!),
    ethWei: new Map(source.holders.map((holder, index) => [holder, words[index * each]!])),
    tokens: words.filter((_, index) => index % each !== 0),
  }
}

async function sent({ chain, source }: Setup, plan: PlannedCall[], timeS: bigint) {
  const hashes: Hex[] = []
  for (const call of plan) hashes.push(await chain.sendRaw(await signed(call)))
  const block = await chain.mine(timeS)
  expect(block.transactions.map(({ hash }) => hash)).toEqual(hashes)
  const feesWei = new Map<string, bigint>()
  const outcomes: Outcome[] = []
  for (const hash of hashes) {
    const receipt = await chain.request<Record<string, Hex> & { logs: Log[] }>('eth_getTransactionReceipt', [
      hash,
    ])
    const gasUsed = BigInt(receipt['gasUsed']!)
    const from = receipt['from']!.toLowerCase()
    feesWei.set(from, (feesWei.get(from) ?? 0n) + gasUsed * BigInt(receipt['effectiveGasPrice']!))
    outcomes.push({ status: receipt['status']!, gasUsed, logs: receipt.logs.map(plain) })
  }
  const ethWei = new Map<string, bigint>()
  const tokens: bigint[] = []
  for (const holder of source.holders) {
    ethWei.set(holder, BigInt(await chain.request<Hex>('eth_getBalance', [holder, 'latest'])))
    for (const token of source.tokens)
      tokens.push(BigInt(await chain.request<Hex>('eth_call', [tokenRead(token, holder), 'latest'])))
  }
  return { stateRoot: block.stateRoot, outcomes, feesWei, ethWei, tokens }
}

const planBlock = (plan: PlannedCall[], timeS: bigint, validation: boolean) => ({
  blockOverrides: { time: hex(timeS) },
  calls: plan.map((call) => request(call, validation)),
})

const outcomesOf = ({ calls }: Answered): Outcome[] =>
  calls.map(({ status, gasUsed, logs }) => ({ status, gasUsed: BigInt(gasUsed), logs: logs.map(plain) }))

const request = (call: PlannedCall, validation: boolean) => ({
  from: call.sender.address,
  to: call.to,
  input: call.data,
  value: hex(call.value),
  gas: hex(call.gas),
  accessList: call.accessList,
  authorizationList: call.authorizationList?.map((item) => ({
    address: item.address,
    chainId: hex(item.chainId),
    nonce: hex(item.nonce),
    r: item.r,
    s: item.s,
    yParity: hex(item.yParity!),
  })),
  ...(validation
    ? {
        nonce: hex(call.nonce),
        maxFeePerGas: hex(FEES.maxFeePerGas),
        maxPriorityFeePerGas: hex(FEES.maxPriorityFeePerGas),
      }
    : {}),
})

const signed = (call: PlannedCall): Promise<Hex> =>
  call.sender.signTransaction({
    type: call.authorizationList ? 'eip7702' : 'eip1559',
    chainId: 4663,
    nonce: call.nonce,
    to: call.to,
    data: call.data,
    value: call.value,
    gas: call.gas,
    ...FEES,
    ...(call.accessList ? { accessList: call.accessList } : {}),
    ...(call.authorizationList ? { authorizationList: call.authorizationList } : {}),
  } as Parameters<typeof call.sender.signTransaction>[0])

const tokenRead = (token: Hex, holder: Hex) => ({
  to: token,
  data: encodeFunctionData({ abi: balanceOf, args: [holder] }),
})

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
const plain = ({ address, topics, data }: Log): Log => ({
  address: address.toLowerCase() as Hex,
  topics,
  data,
})

/** Without validation no gas is paid, so the probe's log of the sender's balance differs in that word. */
const withoutSenderBalance = (outcome: Outcome): Outcome => ({
  ...outcome,
  logs: outcome.logs.map((log) =>
    log.topics.length === 1 && log.data.length === 2 + 5 * 64
      ? { ...log, data: log.data.slice(0, -64) as Hex }
      : log,
  ),
})

function count(tally: Tally, kind: string, { status }: Outcome): void {
  const row = tally.get(kind) ?? { good: 0, bad: 0 }
  row[status === '0x1' ? 'good' : 'bad'] += 1
  tally.set(kind, row)
}
