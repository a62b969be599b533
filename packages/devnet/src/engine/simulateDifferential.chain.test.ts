import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChain } from './chain.ts'
import { createSimulate } from './simulate.ts'
import { type PlannedCall, planAccounts, randomPlan, seededRandom } from './simulatePlans.ts'
import { buildSimulateWorld, type SimulateWorld } from './simulateWorld.ts'
import type { Chain } from './types.ts'

const PLANS = Number(process.env['SIM_PLANS'] ?? 60)
const SEED = Number(process.env['SIM_SEED'] ?? 4663)
const FEES = { maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 1_000n }

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

let chain: Chain
let world: SimulateWorld
beforeAll(async () => {
  chain = await openChain()
  world = await buildSimulateWorld(chain)
})
afterAll(() => chain.close())

test(`${PLANS} random plans do on the chain what the simulation said`, async () => {
  const random = seededRandom(SEED)
  const simulate = createSimulate(chain)
  const seen = new Map<string, { good: number; bad: number }>()
  for (let round = 0; round < PLANS; round += 1) {
    const plan = await randomPlan(world, chain, random)
    const kinds = plan.map(({ kind }) => kind).join(', ')
    const timeS = chain.head().timestampS + BigInt(Math.floor(random() * 3))
    const validation = random() < 0.5
    const said = await simulated(simulate, plan, timeS, validation)
    const done = await sent(plan, timeS)
    const where = `seed ${SEED}, plan ${round} (${kinds})`
    for (const [index, outcome] of done.outcomes.entries()) {
      const told = said.outcomes[index]!
      const shown = validation ? told : withoutSenderBalance(told)
      const real = validation ? outcome : withoutSenderBalance(outcome)
      expect(shown, `${where}, call ${index}`).toEqual(real)
      const count = seen.get(plan[index]!.kind) ?? { good: 0, bad: 0 }
      if (outcome.status === '0x1') count.good += 1
      else count.bad += 1
      seen.set(plan[index]!.kind, count)
    }
    for (const [address, wei] of said.ethWei) {
      const fees = validation ? 0n : (done.feesWei.get(address) ?? 0n)
      expect(wei - fees, `${where}, ETH of ${address}`).toBe(done.ethWei.get(address))
    }
    expect(said.tokens, `${where}, tokens`).toEqual(done.tokens)
    // With the fees paid, every account and every word of storage agrees.
    if (validation) expect(said.stateRoot, `${where}, state`).toBe(done.stateRoot)
  }
  await chain.onShadow(async () => {})
  expect(chain.stats().shadowMismatches).toBe(0)
  if (process.env['SIM_PLANS']) console.log(Object.fromEntries(seen))
  // The test would prove little if everything went well, or nothing did.
  const total = [...seen.values()]
  expect(total.reduce((sum, { good }) => sum + good, 0)).toBeGreaterThan(PLANS / 2)
  expect(total.reduce((sum, { bad }) => sum + bad, 0)).toBeGreaterThan(PLANS / 10)
}, 600_000)

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

/** The plan's block, then a block that only reads: token balances by calls, ETH by a contract that tells it. */
async function simulated(
  simulate: ReturnType<typeof createSimulate>,
  plan: PlannedCall[],
  timeS: bigint,
  validation: boolean,
) {
  const reads = watched().flatMap((address) => [
    ethRead(address),
    tokenRead(world.token, address),
    tokenRead(world.weth, address),
  ])
  const [block, after] = (await simulate([
    {
      validation,
      blockStateCalls: [
        { blockOverrides: { time: hex(timeS) }, calls: plan.map((call) => request(call, validation)) },
        {
          blockOverrides: { baseFeePerGas: '0x0' },
          stateOverrides: { [TELLER]: { code: TELLER_CODE } },
          calls: reads.map((read) => ({ ...read, gas: hex(100_000) })),
        },
      ],
    },
    'latest',
  ])) as { stateRoot: Hex; calls: { status: Hex; gasUsed: Hex; logs: Log[]; returnData: Hex }[] }[]
  const words = after!.calls.map(({ returnData }) => BigInt(returnData))
  return {
    stateRoot: block!.stateRoot,
    outcomes: block!.calls.map(({ status, gasUsed, logs }) => ({
      status,
      gasUsed: BigInt(gasUsed),
      logs: logs.map(plain),
    })),
    ethWei: new Map(watched().map((address, index) => [address, words[index * 3]!])),
    tokens: words.filter((_, index) => index % 3 !== 0),
  }
}

async function sent(plan: PlannedCall[], timeS: bigint) {
  const hashes: Hex[] = []
  for (const call of plan) {
    const raw = await call.sender.signTransaction({
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
    hashes.push(await chain.sendRaw(raw))
  }
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
  for (const address of watched()) {
    ethWei.set(address, BigInt(await chain.request<Hex>('eth_getBalance', [address, 'latest'])))
    for (const token of [world.token, world.weth])
      tokens.push(BigInt(await chain.request<Hex>('eth_call', [tokenRead(token, address), 'latest'])))
  }
  return { stateRoot: block.stateRoot, outcomes, feesWei, ethWei, tokens }
}

const watched = () => [...planAccounts.map(({ address }) => address.toLowerCase()), world.probe, world.router]

// BALANCE(calldata word 0), returned.
const TELLER = '0x00000000000000000000000000000000007e11e4'
const TELLER_CODE = '0x6000353160005260206000f3'
const ethRead = (address: string) => ({
  to: TELLER,
  data: `0x${address.slice(2).padStart(64, '0')}`,
})
const tokenRead = (token: Hex, address: string) => ({
  to: token,
  data: encodeFunctionData({ abi: world.abi.token, functionName: 'balanceOf', args: [address as Hex] }),
})

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
const plain = ({ address, topics, data }: Log): Log => ({
  address: address.toLowerCase() as Hex,
  topics,
  data,
})

/** Without validation no gas is paid, so the one log that tells the sender's balance differs in that word. */
const withoutSenderBalance = (outcome: Outcome): Outcome => ({
  ...outcome,
  logs: outcome.logs.map((log) =>
    log.topics.length === 1 && log.data.length === 2 + 5 * 64
      ? { ...log, data: log.data.slice(0, -64) as Hex }
      : log,
  ),
})
