import {
  type Address,
  type Execution,
  type Hex,
  type HopPath,
  NATIVE,
  permitTypedData,
  type RouterCommand,
  readSwap,
  universalRouterAbi,
} from '@pit/chain'
import { encodeExecute, encodeSwap, type SwapPath } from '@pit/plans'
import { feeOf } from '@pit/protocol'
import { concatHex, decodeFunctionData, encodeAbiParameters, encodeFunctionData, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { bandBps, type Honest } from './honest.ts'
import type { World } from './world.ts'

/** Router calls derived from an honest one with another effect. Undefined: not possible with this one. */

type Swap = Honest & { kind: 'router' }
export type HostileCall = (
  world: World,
  honest: Swap,
) => Execution | undefined | Promise<Execution | undefined>

const commandsOf = (world: World, { execution }: Swap): RouterCommand[] => {
  const reading = readSwap(execution.data, { weth: world.at.weth })
  if ('fault' in reading) throw new Error(`an honest call cannot be read: ${reading.fault}`)
  return structuredClone(reading.commands) as RouterCommand[]
}
const withData = ({ execution }: Swap, data: Hex): Execution => ({ ...execution, data })
const encoded = (honest: Swap, commands: RouterCommand[]): Execution =>
  withData(honest, encodeExecute({ commands, deadlineS: honest.path.deadlineS }))
/** The same plan with one change, and its value adjusted. */
const planned = ({ path, execution }: Swap, change: Partial<SwapPath>): Execution => {
  const { data, valueWei } = encodeSwap({ ...path, ...change })
  return { ...execution, valueWei, data }
}
const stranger = ({ random }: World): Address => `0x${random.bytes(20).toString('hex')}`
const somebody = (world: World, { session }: Swap): Address => {
  const { random, executor, cosigner, at } = world
  return random.pick([
    stranger(world),
    executor,
    cosigner,
    at.feeRecipient,
    at.router,
    session.binding.wallet,
  ])
}

/** Another fee also changes the swapped amount. */
function withFee({ path }: Swap, fee: SwapPath['fee']): Partial<SwapPath> {
  const paid = fee.side === 'input' ? feeOf(path.amountIn, fee.bps) : 0n
  const left = path.amountIn - paid
  const { length } = path.legs
  const legs = path.legs.map((leg, i) => {
    const part = left / BigInt(length)
    return { ...leg, amountIn: i === length - 1 ? left - part * BigInt(length - 1) : part }
  })
  return { fee, legs }
}

/** The same with another route. */
const oneLeg = ({ path }: Swap, hops: HopPath[]): Partial<SwapPath> => ({
  direct: false,
  legs: [{ hops, amountIn: path.legs.reduce((sum, leg) => sum + leg.amountIn, 0n) }],
})
const wrapped = ({ at }: World, token: Address): Address => (token === NATIVE ? at.weth : token)

function parts({ execution }: Swap): { commands: Hex; inputs: Hex[]; deadline: bigint } {
  const { args } = decodeFunctionData({ abi: universalRouterAbi, data: execution.data })
  const [commands, inputs, deadline] = args as [Hex, readonly Hex[], bigint]
  return { commands, inputs: [...inputs], deadline }
}
const raw = (honest: Swap, commands: Hex, inputs: Hex[]): Execution => {
  const args = [commands, inputs, honest.path.deadlineS] as const
  return withData(honest, encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args }))
}
const inserted = (honest: Swap, at: number, command: Hex, input: Hex): Execution => {
  const { commands, inputs } = parts(honest)
  const digits = commands.slice(2)
  const cut = 2 * at
  return raw(
    honest,
    `0x${digits.slice(0, cut)}${command.slice(2)}${digits.slice(cut)}`,
    inputs.toSpliced(at, 0, input),
  )
}

export const HOSTILE_CALLS: Record<string, HostileCall> = {
  'another recipient'(world, honest) {
    const { random } = world
    const commands = commandsOf(world, honest)
    const targets: { recipient: Address }[] = []
    for (const command of commands) {
      if ('recipient' in command) targets.push(command)
      if (command.command !== 'V4_SWAP') continue
      for (const action of command.actions) if ('recipient' in action) targets.push(action)
    }
    const target = random.pick(targets)
    const other = somebody(world, honest)
    if (target.recipient === other) return undefined
    target.recipient = other
    return encoded(honest, commands)
  },
  'a command beside'(world, honest) {
    const { random, tokens, at } = world
    const commands = commandsOf(world, honest)
    const token = random.pick([...tokens.keys()])
    const [recipient, amount] = [somebody(world, honest), BigInt(1 + random.below(1_000_000_000))]
    const more: RouterCommand = random.pick<RouterCommand>([
      { command: 'TRANSFER', token: NATIVE, recipient, amount },
      { command: 'TRANSFER', token, recipient, amount },
      { command: 'PERMIT2_TRANSFER_FROM', token: token === NATIVE ? at.weth : token, recipient, amount },
      { command: 'SWEEP', token, recipient, amountMin: 0n },
      { command: 'PAY_PORTION', token, recipient, bips: 10_000n },
      { command: 'WRAP_ETH', recipient, amount },
      { command: 'UNWRAP_WETH', recipient, amountMin: 0n },
    ])
    commands.splice(random.below(commands.length + 1), 0, more)
    return encoded(honest, commands)
  },
  'a command missing'(world, honest) {
    const commands = commandsOf(world, honest)
    // One leg less is a smaller trade for the same minimum, which harms no one.
    const apart = commands.flatMap(({ command }, i) => (/SWAP/.test(command) ? [] : [i]))
    if (apart.length === 0) return undefined
    return encoded(honest, commands.toSpliced(world.random.pick(apart), 1))
  },
  'commands in another order'(world, honest) {
    const commands = commandsOf(world, honest)
    if (commands.length < 2 || honest.path.legs.length > 1) return undefined
    return encoded(honest, commands.reverse())
  },
  'a command that may fail'({ random }, honest) {
    const { commands, inputs } = parts(honest)
    const bytes = Buffer.from(commands.slice(2), 'hex')
    bytes[random.below(bytes.length)]! |= random.pick([0x80, 0x40])
    return raw(honest, `0x${bytes.toString('hex')}`, inputs)
  },
  'a nested plan'(_, honest) {
    const { commands, inputs } = parts(honest)
    const inner = encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes[]' }], [commands, inputs])
    return raw(honest, '0x21', [inner])
  },
  'a nested plan beside the honest one'(world, honest) {
    const steal = encodeExecute({
      commands: [{ command: 'TRANSFER', token: NATIVE, recipient: stranger(world), amount: 1n }],
      deadlineS: honest.path.deadlineS,
    })
    const { args } = decodeFunctionData({ abi: universalRouterAbi, data: steal })
    const [commands, inputs] = args as [Hex, readonly Hex[]]
    const inner = encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes[]' }], [commands, inputs])
    return inserted(honest, world.random.below(2), '0x21', inner)
  },
  'a command Pit does not build'({ random }, honest) {
    const command = random.pick([0x01, 0x03, 0x07, 0x09, 0x0d, 0x0e, 0x11, 0x12, 0x13, 0x14, 0x22, 0x3f])
    const input = concatHex(
      Array.from({ length: 4 }, () => numberToHex(BigInt(random.below(2 ** 30)), { size: 32 })),
    )
    return inserted(honest, random.below(2), numberToHex(command, { size: 1 }), input)
  },
  async 'a permit the owner signed'(world, honest) {
    const { path, session } = honest
    if (path.tokenIn === NATIVE) return undefined
    const permit = {
      details: { token: path.tokenIn, amount: (1n << 160n) - 1n, expiration: 2 ** 47, nonce: 0 },
      spender: world.random.pick([world.at.router, stranger(world)]),
      sigDeadline: path.deadlineS,
    }
    const typed = permitTypedData({ chainId: 4663, permit2: world.at.permit2 }, permit)
    const signature = await privateKeyToAccount(session.walletKey).signTypedData(typed)
    return planned(honest, { permit: { permit, signature } })
  },
  'no fee': (_, honest) => planned(honest, withFee(honest, { ...honest.path.fee, bps: 0 })),
  'the fee to another recipient'(world, honest) {
    return planned(honest, { fee: { ...honest.path.fee, recipient: stranger(world) } })
  },
  'another rate'({ random }, honest) {
    const { fee } = honest.path
    const allowed = honest.tokenIn.isMajor && honest.tokenOut.isMajor ? [25, 20, 15, 10] : [50]
    const bps = 1 + random.below(200)
    return allowed.includes(bps) ? undefined : planned(honest, withFee(honest, { ...fee, bps }))
  },
  'the rate of the other class'(_, honest) {
    const bps = honest.bps === 50 ? 25 : 50
    return planned(honest, withFee(honest, { ...honest.path.fee, bps }))
  },
  'the fee at the other end'(_, honest) {
    const side = honest.path.fee.side === 'input' ? 'output' : 'input'
    return planned(honest, withFee(honest, { ...honest.path.fee, side }))
  },
  'no minimum': (_, honest) => planned(honest, { amountOutMin: 0n }),
  'a minimum of one atom': (_, honest) => planned(honest, { amountOutMin: 1n }),
  'a minimum too low'(world, honest) {
    const { random } = world
    const { tokenIn, tokenOut, bps, path } = honest
    const signed = tokenIn.priceE18 * path.amountIn * 10n ** BigInt(tokenOut.decimals)
    const worth = signed / (tokenOut.priceE18 * 10n ** BigInt(tokenIn.decimals))
    const microUsd = (tokenIn.priceE18 * path.amountIn) / 10n ** BigInt(tokenIn.decimals + 12)
    // Just below the bound of its size counts as at the bound: refused by either row.
    const allowed = bandBps(world, { tokenIn, tokenOut, microUsd: microUsd - 2_000n }) + bps
    const least = allowed + 2
    const short = BigInt(least + random.below(10_000 - least))
    return planned(honest, { amountOutMin: (worth * (10_000n - short)) / 10_000n })
  },
  'more than the cap per trade'({ random }, honest) {
    const { path, session, tokenIn } = honest
    const cap = BigInt(session.binding.limits.max_trade_micro_usd)
    const over = cap + 1n + (cap * BigInt(random.below(100))) / 10n
    const amountIn = (over * 10n ** BigInt(tokenIn.decimals + 12)) / tokenIn.priceE18 + 1n
    const scaled = { ...honest, path: { ...path, amountIn } }
    const minimum = (path.amountOutMin * amountIn) / path.amountIn + 1n
    return planned(honest, { amountIn, amountOutMin: minimum, ...withFee(scaled, path.fee) })
  },
  'another value'({ random }, { execution }) {
    const by = BigInt(1 + random.below(1_000_000))
    const valueWei =
      random.chance(0.5) || execution.valueWei < by ? execution.valueWei + by : execution.valueWei - by
    return { ...execution, valueWei }
  },
  'another target'(world, honest) {
    const { at, place, random, curve, executor } = world
    const target = random.pick([
      honest.session.binding.wallet,
      place.manager,
      place.delegator,
      at.weth,
      at.permit2,
      at.feeRecipient,
      curve.address,
      executor,
      NATIVE,
      stranger(world),
    ])
    return { ...honest.execution, target }
  },
  'a token outside'(world, honest) {
    const { path, tokenIn, tokenOut } = honest
    const outside = stranger(world)
    const isBuy = world.random.chance(0.5)
    const ends = isBuy
      ? { tokenIn: path.tokenIn, tokenOut: outside }
      : { tokenIn: outside, tokenOut: path.tokenOut }
    const hop = {
      version: 'v2',
      tokenIn: wrapped(world, ends.tokenIn),
      tokenOut: wrapped(world, ends.tokenOut),
    } as const
    const ranked = isBuy ? tokenIn.rank : tokenOut.rank
    const fee = { ...path.fee, bps: 50, side: isBuy || ranked === null ? 'input' : 'output' } as const
    const alone = { ...honest, path: { ...path, legs: [{ hops: [hop], amountIn: path.amountIn }] } }
    return planned(honest, { ...ends, ...withFee(alone, fee) })
  },
  'an unbound intermediate token'(world, honest) {
    const { path } = honest
    const [from, to, strange] = [wrapped(world, path.tokenIn), wrapped(world, path.tokenOut), stranger(world)]
    const version = world.random.pick(['v2', 'v3'] as const)
    const hop = (tokenIn: Address, tokenOut: Address) =>
      ({ version, tokenIn, tokenOut, feePips: 500 }) as HopPath
    return planned(honest, oneLeg(honest, [hop(from, strange), hop(strange, to)]))
  },
  'an unreviewed hook'(world, honest) {
    const { path } = honest
    const plain = (token: Address) => (token === world.at.weth ? NATIVE : token)
    const [tokenIn, tokenOut] = [plain(path.tokenIn), plain(path.tokenOut)]
    const [currency0, currency1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
    const key = { currency0, currency1, fee: 500, tickSpacing: 10, hooks: stranger(world) }
    return planned(honest, oneLeg(honest, [{ version: 'v4', tokenIn, tokenOut, key }]))
  },
  'a v2 pool that pays the wallet itself'(world, honest) {
    const { path } = honest
    if (path.fee.side === 'output' || path.tokenOut === NATIVE) return undefined
    const hop = { version: 'v2', tokenIn: wrapped(world, path.tokenIn), tokenOut: path.tokenOut } as const
    return planned(honest, { ...oneLeg(honest, [hop]), direct: true })
  },
  'a deadline that passed'({ random }, honest) {
    return planned(honest, { deadlineS: BigInt(random.below(1_700_000_000)) })
  },
  'a deadline far ahead'({ random }, honest) {
    return planned(honest, { deadlineS: BigInt(2_000_000_000 + random.below(2 ** 31)) })
  },
  'the call without a deadline'(_, honest) {
    const { commands, inputs } = parts(honest)
    const args = [commands, inputs] as const
    return withData(honest, encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args }))
  },
  'another method'({ random }, honest) {
    return withData(honest, `0x${random.bytes(4).toString('hex')}${honest.execution.data.slice(10)}`)
  },
  'a token transfer instead'(world, honest) {
    const args = encodeAbiParameters(
      [{ type: 'address' }, { type: 'uint256' }],
      [stranger(world), 1n << 100n],
    )
    return withData(honest, `0x${world.random.pick(['a9059cbb', '095ea7b3'])}${args.slice(2)}`)
  },
  'bytes at random'({ random }, honest) {
    return withData(honest, `0x${random.bytes(random.below(600)).toString('hex')}`)
  },
  'missing or extra bytes'({ random }, honest) {
    const { data } = honest.execution
    if (random.chance(0.5))
      return withData(honest, `${data}${random.bytes(1 + random.below(64)).toString('hex')}`)
    return withData(honest, data.slice(0, 2 * (1 + random.below(data.length / 2 - 1))) as Hex)
  },
}
