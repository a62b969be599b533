import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import type { Chain, Hex } from './types.ts'

/**
 * A small world for the engine's tests: two WETH9 as tokens and a v2 pool between them, so that a swap
 * touches storage, emits logs and costs what swaps cost.
 */
export interface SwapLoad {
  router: Hex
  tokens: [Hex, Hex]
  swap(
    from: string,
    amountAtoms: bigint,
    recipient: string,
  ): { from: string; to: string; data: Hex; gas: bigint }
}

type Sender = Pick<Chain, 'sendOwned' | 'mine' | 'request'>

export async function deploySwapLoad(chain: Sender, accounts: readonly string[]): Promise<SwapLoad> {
  const deployer = accounts[0] as Hex
  const weth = artifact('@uniswap/v2-periphery/build/WETH9.json')
  const factory = artifact('@uniswap/v2-core/build/UniswapV2Factory.json')
  const router = artifact('@uniswap/v2-periphery/build/UniswapV2Router02.json')
  let nonce = BigInt(await chain.request<Hex>('eth_getTransactionCount', [deployer, 'latest']))
  const send = async (to: Hex | undefined, data: Hex, value = 0n) => {
    const address = getContractAddress({ from: deployer, nonce })
    nonce += 1n
    await chain.sendOwned({ from: deployer, ...(to ? { to } : {}), data, value, gas: 6_000_000n })
    await chain.mine()
    return address
  }
  const deploy = ({ abi, bytecode }: Artifact, args: unknown[] = []) =>
    send(undefined, encodeDeployData({ abi, bytecode, args }))
  const tokens: [Hex, Hex] = [await deploy(weth), await deploy(weth)]
  const factoryAt = await deploy(factory, [deployer])
  const routerAt = await deploy(router, [factoryAt, tokens[0]])
  const poolAtoms = 1_000n * 10n ** 18n
  for (const token of tokens) {
    await send(token, encodeFunctionData({ abi: weth.abi, functionName: 'deposit' }), 2n * poolAtoms)
  }
  const approve = encodeFunctionData({
    abi: weth.abi,
    functionName: 'approve',
    args: [routerAt, 2n ** 256n - 1n],
  })
  for (const token of tokens) await send(token, approve)
  const forever = 2n ** 256n - 1n
  const liquidity = [...tokens, poolAtoms, poolAtoms, 0n, 0n, deployer, forever]
  await send(routerAt, encodeFunctionData({ abi: router.abi, functionName: 'addLiquidity', args: liquidity }))
  for (const from of accounts.slice(1)) {
    for (const token of tokens) {
      const deposit = encodeFunctionData({ abi: weth.abi, functionName: 'deposit' })
      await chain.sendOwned({ from, to: token, data: deposit, value: 500n * 10n ** 18n, gas: 100_000n })
      await chain.sendOwned({ from, to: token, data: approve, gas: 100_000n })
    }
    await chain.mine()
  }
  let turn = 0
  return {
    router: routerAt,
    tokens,
    swap(from, amountAtoms, recipient) {
      turn += 1
      const path = turn % 2 ? tokens : [tokens[1], tokens[0]]
      const args = [amountAtoms, 0n, path, recipient, forever]
      const data = encodeFunctionData({ abi: router.abi, functionName: 'swapExactTokensForTokens', args })
      return { from, to: routerAt, data, gas: 250_000n }
    },
  }
}

interface Artifact {
  abi: Abi
  bytecode: Hex
}

function artifact(path: string): Artifact {
  const file = createRequire(import.meta.url).resolve(path)
  const { abi, bytecode } = JSON.parse(readFileSync(file, 'utf8'))
  return { abi, bytecode: bytecode.startsWith('0x') ? bytecode : `0x${bytecode}` }
}
