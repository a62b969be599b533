import {
  createCrypto,
  decodeExecute,
  MSG_SENDER,
  NATIVE,
  parseSignedTx,
  type RouterCall,
  senderOf,
  signTx,
} from '../src/index.ts'
import { callByViem } from './callByViem.ts'

/** Bundled for a browser by browser.test.ts, which runs it where nothing of Node is left. */
const key = `0x${'4f'.repeat(32)}` as const
const call: RouterCall = {
  commands: [{ command: 'SWEEP', token: NATIVE, recipient: MSG_SENDER, amountMin: 5n }],
  deadlineS: 9n,
}
const fees = { maxPriorityFeePerGas: 1n, maxFeePerGas: 2n, gas: 5n }
const to = { to: NATIVE, value: 0n, data: callByViem(call, '2.1.0'), accessList: [] }

const crypto = await createCrypto()
const { raw, hash } = signTx(crypto, { type: 2, chainId: 4663, nonce: 1, ...fees, ...to }, key)
const parsed = parseSignedTx(raw)
console.log(
  JSON.stringify({
    buffer: typeof (globalThis as { Buffer?: unknown }).Buffer,
    process: typeof (globalThis as { process?: unknown }).process,
    curve: crypto.curve,
    hash,
    sender: parsed.ok ? senderOf(crypto, parsed.tx) : parsed.why,
    decoded: parsed.ok && decodeExecute(parsed.tx.data).ok,
  }),
)
