/**
 * Fixed work in its own process, in whose processor time bench/check states the others': behind bare `node:http`, so
 * that a slow machine slows both down. `POST /` does it once; `POST /ticks` starts doing a tenth of it ten times a
 * second, as a process at rest does little but often. Prints its address.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keccak256, numberToHex } from 'viem'

const ROUNDS = 100
const TICK_MS = 100

function compute(rounds: number): string {
  let hash = numberToHex(1n, { size: 32 })
  for (let n = 0; n < rounds; n++) {
    const { text } = JSON.parse(JSON.stringify({ text: hash, value: (BigInt(hash) % 1_000_003n).toString() }))
    hash = keccak256(text)
  }
  return hash
}

const server = createServer(async (request, response) => {
  if (request.url === '/ticks') setInterval(compute, TICK_MS, ROUNDS / 10)
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  response.end(JSON.stringify({ hash: compute(ROUNDS), text: JSON.parse(text) }))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
