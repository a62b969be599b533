import {
  type Address,
  aggregatorV3Abi,
  type Hex,
  multicall3Abi,
  NATIVE,
  sqrtPriceAtTick,
  v3PoolAbi,
} from '@pit/chain'
import { ACCOUNT, divDown, rescaleDown, stockSessionOpen } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { PinnedToken, Pins } from '../pins.ts'
import type { RpcCall } from './rpc.ts'

/** A price the client read itself: dollars of one whole token times 10^18. */
export interface OwnMark {
  priceE18: bigint
  decimals: number
  by: 'feed' | 'mean' | 'fixed'
}
export type OwnMarks = ReadonlyMap<Address, OwnMark>

const ONE_E18 = 10n ** 18n
const MAX_AHEAD_S = 120

interface Source {
  token: PinnedToken
  call: { target: Address; data: Hex } | null
  read(data: Hex): OwnMark | null
}

/** One call for the marks of these tokens; `read` leaves out whatever has no fresh price. */
export function askMarks(
  pins: Pins,
  tokens: readonly Address[],
  nowMs: number,
): { call: RpcCall; read(answer: Hex): OwnMarks } {
  const sources = [...new Set(tokens)].flatMap((token) => sourceOf(pins, token, nowMs) ?? [])
  const calls = sources.map(({ call }) => ({
    target: call?.target ?? pins.multicall3,
    allowFailure: true,
    callData: call?.data ?? ('0x' as Hex),
  }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  return {
    call: { method: 'eth_call', params: [{ to: pins.multicall3, data }, 'latest'] },
    read(answer) {
      const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
      const marks = new Map<Address, OwnMark>()
      for (const [i, source] of sources.entries()) {
        const result = results[i]
        const isFixed = source.call === null
        const mark =
          isFixed || result?.success ? tryRead(() => source.read(result?.returnData ?? '0x')) : null
        if (mark) marks.set(source.token.address, mark)
      }
      return marks
    },
  }
}

function sourceOf(pins: Pins, address: Address, nowMs: number): Source | null {
  const token = pins.tokens.get(address)
  if (!token) return null
  const { decimals } = token
  if (token.core === 'USDG')
    return { token, call: null, read: () => ({ priceE18: ONE_E18, decimals, by: 'fixed' }) }
  if (token.feed) return feedSource(token, token.feed, nowMs)
  const pool = pins.partnerPool
  const usdg = [...pins.tokens.values()].find(({ core }) => core === 'USDG')
  if (token.core !== 'PARTNER' || pool?.version !== 'v3' || !usdg) return null
  return meanSource(token, pool.address as Address, usdg)
}

function feedSource(token: PinnedToken, feed: NonNullable<PinnedToken['feed']>, nowMs: number): Source {
  const nowS = Math.floor(nowMs / 1000)
  return {
    token,
    call: {
      target: feed.address as Address,
      data: encodeFunctionData({ abi: aggregatorV3Abi, functionName: 'latestRoundData' }),
    },
    read(data) {
      const [roundId, answer, , updatedAt, answeredIn] = decodeFunctionResult({
        abi: aggregatorV3Abi,
        functionName: 'latestRoundData',
        data,
      })
      const ageS = nowS - Number(updatedAt)
      const isClosed = feed.session === 'stock' && !stockSessionOpen(nowMs)
      const isStale = isClosed || ageS > feed.heartbeat_s || ageS < -MAX_AHEAD_S
      if (answer <= 0n || updatedAt === 0n || isStale || (answeredIn !== 0n && answeredIn < roundId))
        return null
      return { priceE18: rescaleDown(answer, feed.decimals, 18), decimals: token.decimals, by: 'feed' }
    },
  }
}

function meanSource(token: PinnedToken, pool: Address, usdg: PinnedToken): Source {
  return {
    token,
    call: {
      target: pool,
      data: encodeFunctionData({
        abi: v3PoolAbi,
        functionName: 'observe',
        args: [[ACCOUNT.partnerTwapS, 0]],
      }),
    },
    read(data) {
      const [cumulatives] = decodeFunctionResult({ abi: v3PoolAbi, functionName: 'observe', data })
      const tick = Number(
        divDown((cumulatives[1] ?? 0n) - (cumulatives[0] ?? 0n), BigInt(ACCOUNT.partnerTwapS)),
      )
      const root = sqrtPriceAtTick(tick)
      const scale = (ONE_E18 * 10n ** BigInt(token.decimals)) / 10n ** BigInt(usdg.decimals)
      const isFirst = token.address < usdg.address
      const priceE18 = isFirst ? (root * root * scale) >> 192n : (scale << 192n) / (root * root)
      return priceE18 > 0n ? { priceE18, decimals: token.decimals, by: 'mean' } : null
    },
  }
}

function tryRead<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** WETH stands for ETH where only tokens have a price. */
export const markOf = (marks: OwnMarks, token: Address, weth: Address): OwnMark | undefined =>
  marks.get(token) ?? (token === NATIVE ? marks.get(weth) : undefined)
