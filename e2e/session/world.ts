import type { Hex } from '@pit/chain'
import { newSignerFolder, removeFolder, type SignerProcess, startSignerProcess } from '../signerProcess.ts'
import { openTrader, receiptOf, type Trader } from '../trading/trader.ts'
import { openTradingWorld, type TradingWorld } from '../trading/world.ts'

export interface SessionWorld extends TradingWorld {
  signer: SignerProcess
  /** Gives an account ETH and dollars. */
  fund(wallet: Hex, amounts: { wei?: bigint; usdg?: bigint }): Promise<void>
}

/** Devnet, signer and server, each in its own process as `npm start` runs them. */
export async function openSessionWorld(
  options: { server?: Record<string, string>; devnet?: Record<string, string> } = {},
): Promise<SessionWorld> {
  const folder = await newSignerFolder()
  let signer: SignerProcess | undefined
  const world = await openTradingWorld({
    ...(options.devnet && { devnet: options.devnet }),
    server: async (devnet) => {
      signer = await startSignerProcess({
        folder,
        rpcUrl: devnet.signerUrls,
        profileFile: devnet.profileFile,
      })
      // A busy machine must not cause refusals.
      const patience = { MAX_LOOP_DELAY_MS: '60000' }
      return { ...patience, SIGNER_URL: signer.url, SIGNER_SECRET: signer.secret, ...options.server }
    },
  })
  let bank: Trader | undefined
  return {
    ...world,
    signer: signer!,
    async fund(wallet, { wei, usdg }) {
      if (wei !== undefined) await world.devnet.rpc('hardhat_setBalance', [wallet, `0x${wei.toString(16)}`])
      if (usdg === undefined) return
      bank ??= await openTrader(world.server.url, { account: 9 })
      const data =
        `0xa9059cbb${wallet.slice(2).padStart(64, '0')}${usdg.toString(16).padStart(64, '0')}` as Hex
      const nonce = Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [bank.wallet, 'pending']))
      const { raw, hash } = bank.sign({
        chain_id: 4663,
        from: bank.wallet,
        to: world.core('USDG'),
        value: '0',
        data,
        gas: '200000',
        nonce,
        max_fee_per_gas: '100000000000',
        max_priority_fee_per_gas: '1',
      })
      await world.devnet.rpc('eth_sendRawTransaction', [raw])
      await receiptOf(world.devnet, hash)
    },
    async close() {
      await world.close()
      await signer?.stop()
      removeFolder(folder)
    },
  }
}

/** The server's co-signer; null until the server has reached the signer. */
export async function cosignerOf(serverUrl: string): Promise<string> {
  for (;;) {
    const config = (await (await fetch(`${serverUrl}/api/v1/config`)).json()) as {
      session: { cosigner: string | null }
    }
    if (config.session.cosigner !== null) return config.session.cosigner
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
