import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Abi, type AbiItem, toEventSelector, toFunctionSelector } from 'viem'
import { formatAbiItem } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import * as abis from './index.ts'

const require = createRequire(new URL('../../../devnet/package.json', import.meta.url))
const artifact = (path: string): Abi => JSON.parse(readFileSync(require.resolve(path), 'utf8')).abi

/** Ours against what the contracts were compiled to. */
const REAL: [string, Abi, string][] = [
  ['v2FactoryAbi', abis.v2FactoryAbi, '@uniswap/v2-core/build/UniswapV2Factory.json'],
  ['v2PairAbi', abis.v2PairAbi, '@uniswap/v2-core/build/UniswapV2Pair.json'],
  [
    'v3FactoryAbi',
    abis.v3FactoryAbi,
    '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  ],
  ['v3PoolAbi', abis.v3PoolAbi, '@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json'],
  [
    'v3QuoterAbi',
    abis.v3QuoterAbi,
    '@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
  ],
  ['v4PoolManagerAbi', abis.v4PoolManagerAbi, '@uniswap/v4-core/out/PoolManager.sol/PoolManager.json'],
  ['v4QuoterAbi', abis.v4QuoterAbi, '@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json'],
  ['v4StateViewAbi', abis.v4StateViewAbi, '@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json'],
  [
    'universalRouterAbi',
    abis.universalRouterAbi,
    '@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json',
  ],
  ['wethAbi', abis.wethAbi, '@uniswap/v2-periphery/build/WETH9.json'],
]

/** Everything a caller relies on: selector, what is indexed, and the types that come back. */
function faceOf(item: AbiItem): string {
  if (item.type === 'function') {
    const outputs = (item.outputs ?? []).map((output) => typeOf(output)).join()
    return `${toFunctionSelector(item)} ${item.name} -> ${outputs}`
  }
  if (item.type === 'event') {
    return (
      `${toEventSelector(item)} ${item.name} ` +
      `${item.inputs.map((input) => (input.indexed ? 1 : 0)).join('')}`
    )
  }
  return item.type === 'error' ? `error ${formatAbiItem(item)}` : item.type
}

function typeOf(parameter: { type: string; components?: readonly { type: string }[] }): string {
  return parameter.components
    ? `(${parameter.components.map(typeOf).join()})${parameter.type.slice(5)}`
    : parameter.type
}

describe.each(REAL)('%s', (_, ours, path) => {
  it('is what the contract has', () => {
    const real = new Set(artifact(path).map(faceOf))
    for (const item of ours) expect(real).toContain(faceOf(item))
  })
})

it('has the delegation manager’s face', async () => {
  const path = require.resolve(`@metamask/${'delegation-abis'}`)
  const { DelegationManager } = (await import(path)) as { DelegationManager: Abi }
  const real = new Set(DelegationManager.map(faceOf))
  for (const item of abis.delegationManagerAbi) expect(real).toContain(faceOf(item))
})
