import { type Address, erc20Abi, type Hex, multicall3Abi, NATIVE, permit2Abi } from '@pit/chain'
import { type Answer, canonicalJson, type FastTable, fastRoutesOf, fastTableJson } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData, sha256, stringToHex } from 'viem'
import type { ClientDeps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { marksRequest, type OwnMarks } from '../own/marks.ts'
import { ethCall, type RpcCall } from '../own/rpc.ts'

export interface TokenState {
  /** What Permit2 may take of it. */
  approved: bigint
  /** The router's Permit2 allowance for the token. */
  allowance: bigint
  allowedUntilS: number
  permitNonce: number
}

/** All that a fast trade is built from, read ahead of it. */
export interface Warm {
  readAtMs: number
  table: FastTable
  terms: Answer<'live.fast.terms'>
  marks: OwnMarks
  serviceMarks: ReadonlyMap<string, number>
  nonce: number
  baseFeeWei: bigint
  tokens: ReadonlyMap<Address, TokenState>
}

/** Reads it in one exchange with the node, and the terms and marks of the service beside it. */
export async function readWarm(deps: ClientDeps, shield: boolean, signal?: AbortSignal): Promise<Warm> {
  const { pins, account, rpc, api } = deps
  const table = fastRoutesOf(pins.profile)
  const readAtMs = deps.nowMs()
  const ends = Object.values(table.pairs).flatMap(({ token_in, token_out }) => [token_in, token_out])
  const tokens = [...new Set(ends.map(({ address }) => address as Address))]
  const markRequest = marksRequest(pins, tokens, readAtMs)
  const erc20 = tokens.filter((token) => token !== NATIVE)
  const states = askStates(deps, erc20)
  const nonce: RpcCall = { method: 'eth_getTransactionCount', params: [account.address, 'pending'] }
  const [reading, terms, stats] = await Promise.all([
    rpc.read([markRequest.call, states, nonce], signal),
    api['live.fast.terms']({ query: shield ? { shield: '1' } : {} }, { signal }),
    api.stats({}, { signal }),
  ])
  const own = sha256(stringToHex(canonicalJson(fastTableJson(table)))).slice(2)
  if (terms.routes.sha256.replace(/^0x/, '') !== own)
    refuse('CONFIG_MISMATCH', 'the service’s fast routes are not the pinned ones', {
      own,
      said: terms.routes.sha256,
    })
  const assets = (stats.assets ?? []).flatMap(({ symbol, mark }) =>
    mark === null ? [] : [[symbol, mark] as [string, number]],
  )
  return {
    readAtMs,
    table,
    terms,
    marks: markRequest.read(reading),
    serviceMarks: new Map(assets),
    nonce: Number(BigInt(reading.value(nonce))),
    baseFeeWei: reading.head.baseFeeWei,
    tokens: readStates(erc20, reading.value(states)),
  }
}

function askStates({ pins, account }: ClientDeps, tokens: readonly Address[]) {
  const calls = tokens.flatMap((token) => [
    {
      target: token,
      allowFailure: false,
      callData: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'allowance',
        args: [account.address, pins.permit2],
      }),
    },
    {
      target: pins.permit2,
      allowFailure: false,
      callData: encodeFunctionData({
        abi: permit2Abi,
        functionName: 'allowance',
        args: [account.address, token, pins.router],
      }),
    },
  ])
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  return ethCall(pins.multicall3, data)
}

function readStates(tokens: readonly Address[], answer: Hex): Map<Address, TokenState> {
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
  return new Map(
    tokens.map((token, i) => {
      const approved = decodeFunctionResult({
        abi: erc20Abi,
        functionName: 'allowance',
        data: results[2 * i]!.returnData,
      })
      const [allowance, allowedUntilS, permitNonce] = decodeFunctionResult({
        abi: permit2Abi,
        functionName: 'allowance',
        data: results[2 * i + 1]!.returnData,
      })
      return [token, { approved, allowance, allowedUntilS, permitNonce }]
    }),
  )
}
