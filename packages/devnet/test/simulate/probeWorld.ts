import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { publicAccounts } from '../../src/engine/accounts.ts'
import type { Chain, Hex } from '../../src/engine/types.ts'
import { PROBE_SOURCE } from './probe.ts'

const require = createRequire(import.meta.url)

export interface Artifact {
  abi: Abi
  bytecode: Hex
}

export interface ProbeWorld {
  weth: Hex
  token: Hex
  router: Hex
  probe: Hex
  abi: { weth: Abi; token: Abi; router: Abi; probe: Abi }
}

export const FOREVER = 2n ** 256n - 1n

function npmArtifact(path: string): Artifact {
  const { abi, bytecode } = JSON.parse(readFileSync(require.resolve(path), 'utf8')) as {
    abi: Abi
    bytecode: string
  }
  return { abi, bytecode: bytecode.startsWith('0x') ? (bytecode as Hex) : `0x${bytecode}` }
}

function probeArtifact(): Artifact {
  const solc = require('solc') as { compile(input: string): string }
  const input = {
    language: 'Solidity',
    sources: { 'Probe.sol': { content: PROBE_SOURCE } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const probe = output.contracts?.['Probe.sol']?.Probe
  if (!probe) throw new Error(JSON.stringify(output.errors))
  return { abi: probe.abi, bytecode: `0x${probe.evm.bytecode.object}` }
}

/** WETH9, a token with permit, a Uniswap v2 pool and the probe; every public account has tokens. */
export async function buildProbeWorld(chain: Chain): Promise<ProbeWorld> {
  const accounts = publicAccounts()
  const [deployer] = accounts
  const weth = npmArtifact('@uniswap/v2-periphery/build/WETH9.json')
  const token = npmArtifact('@uniswap/v2-core/build/ERC20.json')
  const factory = npmArtifact('@uniswap/v2-core/build/UniswapV2Factory.json')
  const router = npmArtifact('@uniswap/v2-periphery/build/UniswapV2Router02.json')
  const probe = probeArtifact()

  const send = async (tx: { to?: Hex; data: Hex; value?: bigint }): Promise<Hex> => {
    const hash = await chain.sendOwned({ from: deployer!.address, gas: 12_000_000n, ...tx })
    await chain.mine()
    const receipt = await chain.request<{ status: Hex; contractAddress: Hex }>('eth_getTransactionReceipt', [
      hash,
    ])
    if (receipt.status !== '0x1') throw new Error('the world could not be built')
    return receipt.contractAddress
  }
  const deploy = (artifact: Artifact, args: unknown[] = []) =>
    send({ data: encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args }) })
  const call = (to: Hex, abi: Abi, functionName: string, args: unknown[], value = 0n) =>
    send({ to, data: encodeFunctionData({ abi, functionName, args }), value })

  const wethAt = await deploy(weth)
  const tokenAt = await deploy(token, [10n ** 30n])
  const factoryAt = await deploy(factory, [deployer!.address])
  const routerAt = await deploy(router, [factoryAt, wethAt])
  const probeAt = await deploy(probe)
  await call(tokenAt, token.abi, 'approve', [routerAt, FOREVER])
  await call(
    routerAt,
    router.abi,
    'addLiquidityETH',
    [tokenAt, 10n ** 24n, 0n, 0n, deployer!.address, FOREVER],
    10n ** 21n,
  )
  for (const { address } of accounts.slice(1))
    await call(tokenAt, token.abi, 'transfer', [address, 10n ** 24n])
  return {
    weth: wethAt,
    token: tokenAt,
    router: routerAt,
    probe: probeAt,
    abi: { weth: weth.abi, token: token.abi, router: router.abi, probe: probe.abi },
  }
}
