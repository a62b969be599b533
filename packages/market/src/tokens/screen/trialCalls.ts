import { type Address, erc20Abi, type Hex, type Hop } from '@pit/chain'
import { encodeCurveTrade, encodeErc20Approve, encodeErc20Transfer, encodePermit2Approve } from '@pit/plans'
import { addressWord, balanceOfCall, pausedCall } from '@pit/platform/reads'
import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import type { Power } from '../powers.ts'
import { encodeBuy, encodeSell, reversed } from './encodeHops.ts'
import type { TrialWay } from './findTrials.ts'
import type { SimBlock, SimCall } from './simulate.ts'

/** Gas also bounds the size of a result, since memory costs gas. */
const GAS = { read: 150_000, approve: 200_000, transfer: 500_000, swap: 2_500_000 }
const MAX_UINT160 = (1n << 160n) - 1n
const MAX_UINT256 = (1n << 256n) - 1n
const FAR = 2 ** 47
/** Time between purchase and sale, in which a rebasing balance would change. */
const LATER_S = 3_600

/** Fresh random wallets, so that no token can recognise them. */
export interface Actors {
  buyer: Address
  stranger: Address
  keeper: Address
}

export interface RouterAddresses {
  router: Address
  permit2: Address
  weth: Address
}

export type Label =
  | 'name'
  | 'symbol'
  | 'decimals'
  | 'supply'
  | 'strangerBefore'
  | 'paused'
  | 'toPair'
  | 'approvePair'
  | 'before'
  | 'buy'
  | 'bought'
  | 'later'
  | 'give'
  | 'strangerAfter'
  | 'keep'
  | 'keeperAfter'
  | 'approve'
  | 'permit'
  | 'sell'
  | 'left'
  | 'control'
  | 'mint'
  | 'supplyAfter'
  | 'bar'
  | 'barred'
  | 'pause'
  | 'stopped'
  | 'keeperBefore'
  | 'rebase'
  | 'rebased'

const tokenAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function pause()',
  'function setPaused(bool paused)',
  'function rebase(uint256 index)',
])

const TRUE_WORD = '1'.padStart(64, '0')
/** All take the same arguments, so the call is encoded by hand. */
const BAR_SELECTORS = [
  'blacklist(address)',
  'blackList(address)',
  'addBlacklist(address)',
  'addBlackList(address)',
  'setBlacklist(address,bool)',
  'setBlacklisted(address,bool)',
  'freeze(address)',
  'addBot(address)',
].map((signature) => toFunctionSelector(signature).slice(2))

/** Calls for the token's own data. */
export function readingCalls(token: Address, { buyer, stranger }: Actors): SimCall<Label>[] {
  const read = (label: Label, data: Hex, to = token): SimCall<Label> => ({
    label,
    from: buyer,
    to,
    data,
    gas: GAS.read,
  })
  const own = (functionName: 'name' | 'symbol' | 'decimals' | 'totalSupply') =>
    encodeFunctionData({ abi: erc20Abi, functionName })
  return [
    read('name', own('name')),
    read('symbol', own('symbol')),
    read('decimals', own('decimals')),
    read('supply', own('totalSupply')),
    read('strangerBefore', balanceOfCall(token, stranger).data),
    read('paused', pausedCall(token).data),
  ]
}

/** Amounts of a trial: a little for each of two strangers, most of the rest is sold. */
export const partsOf = (held: bigint) => ({ give: held / 20n, sell: (held * 8n) / 10n })

/** Buys; an hour later transfers some and sells most of the rest. */
export function tradeBlocks(
  token: Address,
  way: TrialWay,
  {
    actors,
    addresses,
    held,
    nowS,
  }: { actors: Actors; addresses: RouterAddresses; held: bigint; nowS: number },
): [SimBlock<Label>, SimBlock<Label>] {
  const { buyer, stranger, keeper } = actors
  const call = (label: Label, to: Address, data: Hex, gas: number, valueWei?: bigint): SimCall<Label> => ({
    label,
    from: buyer,
    to,
    data,
    gas,
    ...(valueWei === undefined ? {} : { valueWei }),
  })
  const balance = (label: Label, of: Address) => call(label, token, balanceOfCall(token, of).data, GAS.read)
  const { give, sell } = partsOf(held)
  return [
    {
      calls: [balance('before', buyer), ...buyCalls(way, addresses, buyer, call), balance('bought', buyer)],
    },
    {
      timeS: nowS + LATER_S,
      calls: [
        balance('later', buyer),
        call('give', token, encodeErc20Transfer(stranger, give), GAS.transfer),
        balance('strangerAfter', stranger),
        call('keep', token, encodeErc20Transfer(keeper, give), GAS.transfer),
        balance('keeperAfter', keeper),
        ...sellCalls(token, way, addresses, { amount: sell, seller: buyer }, call),
        balance('left', buyer),
      ],
    },
  ]
}

const unbounded = (recipient: Address) => ({ amountOutMin: 0n, recipient, deadlineS: BigInt(FAR) })

type MakeCall = (label: Label, to: Address, data: Hex, gas: number, valueWei?: bigint) => SimCall<Label>

function buyCalls(
  way: TrialWay,
  { router, weth }: RouterAddresses,
  buyer: Address,
  call: MakeCall,
): SimCall<Label>[] {
  if (way.kind === 'pool') {
    return [call('buy', router, encodeBuy(way.hops, way.valueWei, weth), GAS.swap, way.valueWei)]
  }
  const { curve, hops, valueWei, pairAmount } = way
  const { launchpad } = curve
  const buy = encodeCurveTrade({ launchpad, side: 'buy', amountIn: pairAmount, ...unbounded(buyer) })
  if (hops.length === 0) return [call('buy', curve.id, buy, GAS.swap, pairAmount)]
  return [
    call('toPair', router, encodeBuy(hops, valueWei, weth), GAS.swap, valueWei),
    call('approvePair', curve.pair, encodeErc20Approve(curve.id, MAX_UINT256), GAS.approve),
    call('buy', curve.id, buy, GAS.swap),
  ]
}

function sellCalls(
  token: Address,
  way: TrialWay,
  { router, permit2 }: RouterAddresses,
  { amount, seller }: { amount: bigint; seller: Address },
  call: MakeCall,
): SimCall<Label>[] {
  if (way.kind === 'curve') {
    const { launchpad, id } = way.curve
    const sell = encodeCurveTrade({ launchpad, side: 'sell', amountIn: amount, ...unbounded(seller) })
    return [
      call('approve', token, encodeErc20Approve(id, MAX_UINT256), GAS.approve),
      call('sell', id, sell, GAS.swap),
    ]
  }
  const last = way.hops[way.hops.length - 1] as Hop
  const approval = { token, spender: router, amount: MAX_UINT160, expiration: FAR }
  return [
    call('approve', token, encodeErc20Approve(permit2, MAX_UINT256), GAS.approve),
    call('permit', permit2, encodePermit2Approve(approval), GAS.approve),
    call('sell', router, encodeSell(reversed(last), amount), GAS.swap),
  ]
}

/** Tests the owner's suspected powers on the strangers that now hold some. */
export function powerCalls(
  token: Address,
  owner: Address,
  { buyer, stranger, keeper }: Actors,
  { powers, selectors }: { powers: readonly Power[]; selectors: ReadonlySet<string> },
): SimCall<Label>[] {
  const asOwner = (label: Label, data: Hex): SimCall<Label> => ({
    label,
    from: owner,
    to: token,
    data,
    gas: GAS.transfer,
  })
  const read = (label: Label, data: Hex): SimCall<Label> => ({
    label,
    from: buyer,
    to: token,
    data,
    gas: GAS.read,
  })
  const move = (label: Label, from: Address): SimCall<Label> => ({
    label,
    from,
    to: token,
    data: encodeErc20Transfer(buyer, 1n),
    gas: GAS.transfer,
  })
  const calls: SimCall<Label>[] = [move('control', keeper)]
  if (powers.includes('mint')) {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [buyer, 10n ** 18n] })
    calls.push(asOwner('mint', data), read('supplyAfter', SUPPLY))
  }
  if (powers.includes('rebase')) {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'rebase', args: [2n * 10n ** 18n] })
    const balance = balanceOfCall(token, keeper).data
    calls.push(read('keeperBefore', balance), asOwner('rebase', data), read('rebased', balance))
  }
  const bar = BAR_SELECTORS.find((selector) => selectors.has(selector))
  if (bar)
    calls.push(asOwner('bar', `0x${bar}${addressWord(stranger)}${TRUE_WORD}`), move('barred', stranger))
  if (powers.includes('pause')) {
    const data = selectors.has(PAUSE.slice(2))
      ? PAUSE
      : encodeFunctionData({ abi: tokenAbi, functionName: 'setPaused', args: [true] })
    calls.push(asOwner('pause', data), move('stopped', keeper))
  }
  return calls.length > 1 ? calls : []
}

const PAUSE = encodeFunctionData({ abi: tokenAbi, functionName: 'pause' })
const SUPPLY = encodeFunctionData({ abi: erc20Abi, functionName: 'totalSupply' })
