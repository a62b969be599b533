import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Abi } from 'viem'
import type { Artifact } from '../compile.ts'

const require = createRequire(import.meta.url)

/** A file of an npm package: beside the bundle, where the published devnet has the few it needs, or installed. */
function packageFile(name: string, path: string): string {
  const packed = join(import.meta.dirname, 'npm', name, path)
  if (existsSync(packed)) return packed
  return join(dirname(require.resolve(`${name}/package.json`)), path)
}

interface RawArtifact {
  abi: Abi
  bytecode?: string | { object: string }
}

function read(name: string, path: string): Artifact {
  const raw: RawArtifact = JSON.parse(readFileSync(packageFile(`@uniswap/${name}`, path), 'utf8'))
  const code = typeof raw.bytecode === 'string' ? raw.bytecode : raw.bytecode?.object
  if (!code) throw new Error(`${name}/${path} has no bytecode`)
  return { abi: raw.abi, bytecode: code.startsWith('0x') ? (code as `0x${string}`) : `0x${code}` }
}

const v3 = (file: string) => `artifacts/contracts/${file}.sol/${file.split('/').at(-1)}.json`
const v4 = (file: string) => `${file}.sol/${file.split('/').at(-1)}.json`

/** The real contracts, read from their publishers' npm packages. */
export const npmArtifact = {
  weth: () => read('v2-periphery', 'build/WETH9.json'),
  v2Factory: () => read('v2-core', 'build/UniswapV2Factory.json'),
  v2Pair: () => read('v2-core', 'build/UniswapV2Pair.json'),
  v3Factory: () => read('v3-core', v3('UniswapV3Factory')),
  v3Pool: () => read('v3-core', v3('UniswapV3Pool')),
  v3PositionManager: () => read('v3-periphery', v3('NonfungiblePositionManager')),
  v3Quoter: () => read('v3-periphery', 'artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json'),
  v4PoolManager: () => read('v4-core', v4('out/PoolManager')),
  v4PositionDescriptor: () => read('v4-periphery', v4('foundry-out/PositionDescriptor')),
  v4PositionManager: () => read('v4-periphery', v4('foundry-out/PositionManager')),
  v4StateView: () => read('v4-periphery', v4('foundry-out/StateView')),
  v4Quoter: () => read('v4-periphery', v4('foundry-out/V4Quoter')),
  universalRouter: () => read('universal-router', v3('UniversalRouter')),
  unsupportedProtocol: () =>
    read('universal-router', 'artifacts/contracts/deploy/UnsupportedProtocol.sol/UnsupportedProtocol.json'),
}

/** Permit2's runtime code, as its own test helper carries it. */
export function permit2Runtime(): `0x${string}` {
  const path = 'lib/permit2/test/utils/DeployPermit2.sol'
  const hex = /hex"([0-9a-f]+)"/.exec(readFileSync(packageFile('@uniswap/v4-periphery', path), 'utf8'))?.[1]
  if (!hex) throw new Error('no Permit2 code in @uniswap/v4-periphery')
  return `0x${hex}`
}

/** Multicall3's init code, as viem carries it. */
export function multicall3InitCode(): `0x${string}` {
  const text = readFileSync(packageFile('viem', 'constants/contracts.ts'), 'utf8')
  const hex = /multicall3Bytecode\s*=\s*'(0x[0-9a-f]+)'/.exec(text)?.[1]
  if (!hex) throw new Error('no Multicall3 code in viem')
  return hex as `0x${string}`
}
