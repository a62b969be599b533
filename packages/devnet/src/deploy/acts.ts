import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  keccak256,
  numberToHex,
} from 'viem'
import type { Artifact, Artifacts } from '../compile.ts'
import type { Transactions } from './transactions.ts'

interface Act {
  label: string
  target: Address
  value: bigint
  data: Hex
  gas: bigint
}

/** Actions of the world's builder, queued in order and packed many to a transaction. */
export interface Acts {
  builder: Address
  /**
   * Deploys one of our contracts by CREATE2 and returns its address; the builder is its deployer and owner.
   */
  deploy(name: string, args?: unknown[], salt?: bigint): Address
  /** Calls one of our contracts by its ABI. */
  call(
    name: string,
    target: Address,
    functionName: string,
    args: unknown[],
    gas: bigint,
    value?: bigint,
  ): void
  /** Passes everything queued so far to the deployer's transactions. */
  pack(): void
}

/** Maximum gas of an act transaction, so that one always fits into a block of 15 million. */
const TX_GAS = 13_500_000n

export function createActs(artifacts: Artifacts, txs: Transactions, builder: Address): Acts {
  let queue: Act[] = []
  const builderAbi = artifactOf(artifacts, 'WorldBuilder').abi

  const push = (act: Act) => queue.push(act)
  return {
    builder,
    deploy(name, args = [], salt = 0n) {
      const initCode = initCodeOf(artifactOf(artifacts, name), args)
      const salt32 = numberToHex(salt, { size: 32 })
      push({
        label: `deploy ${name}`,
        target: builder,
        value: 0n,
        data: encodeFunctionData({ abi: builderAbi, functionName: 'deploy', args: [[initCode], [salt32]] }),
        gas: 150_000n + BigInt((initCode.length / 2) * 260),
      })
      return getCreate2Address({ from: builder, salt: salt32, bytecodeHash: keccak256(initCode) })
    },
    call(name, target, functionName, args, gas, value = 0n) {
      const { abi } = artifactOf(artifacts, name)
      const data = encodeFunctionData({ abi, functionName, args })
      push({ label: `${name}.${functionName}`, target, value, data, gas })
    },
    pack() {
      let group: Act[] = []
      let gas = 0n
      const close = () => {
        if (group.length === 0) return
        const data = encodeFunctionData({ abi: builderAbi, functionName: 'act', args: [group] })
        const labels = [...new Set(group.map((act) => act.label))].join(', ')
        txs.send(labels, { to: builder, data, gas: gas + 60_000n + BigInt((data.length / 2) * 18) })
        group = []
        gas = 0n
      }
      for (const act of queue) {
        if (gas + act.gas > TX_GAS) close()
        group.push(act)
        gas += act.gas
      }
      close()
      queue = []
    },
  }
}

export function artifactOf(artifacts: Artifacts, name: string): Artifact {
  const artifact = artifacts[name]
  if (!artifact) throw new Error(`contracts/ has no ${name}`)
  return artifact
}

export function initCodeOf({ abi, bytecode }: Artifact, args: readonly unknown[]): Hex {
  return encodeDeployData({ abi, bytecode, args })
}
