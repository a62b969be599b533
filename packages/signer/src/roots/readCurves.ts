import { type Address, type Hex, launchpadAbi, NATIVE } from '@pit/chain'
import { askCall, readAll } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'

const curveAbi = parseAbi([
  'struct Terms { address token; address pair; address creator; uint128 virtualPair; uint128 virtualToken; uint128 saleSupply; uint128 poolSupply; uint16 curveFeeBps; uint16 creatorTaxBps; uint16 snipeStartBps; uint16 snipeSeconds; uint48 launchedAt; uint8 poolVersion; }',
  'function terms() view returns (Terms terms)',
])

/**
 * The token of each curve, if the launchpad deployed all of them and they trade for ETH; undefined otherwise,
 * because a contract that only looks like a curve could keep what it is sent. Throws when the chain does not
 * answer.
 */
export async function readCurves(
  { rpc, launchpad }: { rpc: Pick<Rpc, 'batch'>; launchpad: Address | null },
  curves: readonly Address[],
): Promise<Record<Address, Address> | undefined> {
  if (curves.length === 0) return {}
  if (launchpad === null) return undefined
  const termsData = encodeFunctionData({ abi: curveAbi, functionName: 'terms' })
  const terms = await readAll(
    rpc,
    curves.map((to) => askCall({ to, data: termsData })),
  )
  const tokens: Address[] = []
  for (const answer of terms) {
    const read = answer && tryRead(() => decodeTerms(answer))
    if (!read || read.pair !== NATIVE) return undefined
    tokens.push(read.token)
  }
  const owners = await readAll(
    rpc,
    tokens.map((token) =>
      askCall({
        to: launchpad,
        data: encodeFunctionData({ abi: launchpadAbi, functionName: 'curveOf', args: [token] }),
      }),
    ),
  )
  const tokenOf: Record<Address, Address> = {}
  for (const [i, answer] of owners.entries()) {
    const curve = answer && tryRead(() => decodeCurve(answer))
    if (curve !== curves[i]) return undefined
    tokenOf[curve!] = tokens[i]!
  }
  return tokenOf
}

function decodeTerms(data: Hex): { token: Address; pair: Address } {
  const { token, pair } = decodeFunctionResult({ abi: curveAbi, functionName: 'terms', data })
  return { token: lower(token), pair: lower(pair) }
}

const decodeCurve = (data: Hex): Address =>
  lower(decodeFunctionResult({ abi: launchpadAbi, functionName: 'curveOf', data }))

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const lower = (address: Address): Address => address.toLowerCase() as Address
