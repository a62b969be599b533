/**
 * Cost of a sign-in verification beside the curve: all that POST auth/verify does but SQL (shape, message
 * rebuilt from the stored facts, hash, recover, compare) against the bare recover of the library in use on
 * parsed inputs. One run, slices interleaved; the ratio counts. `node dist/bench/verify.js [slices]`
 */
import { randomBytes } from 'node:crypto'
import { challengeMessage } from '@pit/auth/internal/challengeMessage'
import type { AuthDeps } from '@pit/auth/internal/deps'
import { findSignedChallenge } from '@pit/auth/internal/findSignedChallenge'
import { createCrypto, hexToBytes, serializeSignature, splitSignature } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { loadCurve } from '../packages/chain/src/crypto/curve.ts'

const TARGET = 0.85
const SAMPLES = 1_000
const NOW_S = 1_800_000_000
const SLICE = 5
const WARM_UP = 200
const [rounds = 4_000] = process.argv.slice(2).map(Number)

const crypto = await createCrypto()
const curve = await loadCurve(crypto.curve)
const site = { domain: 'pit.example', uri: 'https://pit.example' }

const samples = Array.from({ length: SAMPLES }, () => {
  const privateKey = randomBytes(32)
  const wallet = crypto.addressOf(privateKey)
  const nonce = randomBytes(16).toString('hex')
  const challenge = { wallet, purpose: 'sign-in', nonce, issuedAtS: NOW_S, expiresAtS: NOW_S + 300 } as const
  const hash = crypto.hashMessage(challengeMessage(crypto, site, challenge))
  const signature = serializeSignature(crypto.sign(hash, privateKey))
  const parts = splitSignature(hexToBytes(signature))
  if (!parts) throw new Error('a signature of ours does not parse')
  const row = { id: 1, nonce, issued_at_s: NOW_S, expires_at_s: NOW_S + 300 }
  return {
    body: { address: crypto.toChecksum(wallet), signature, nonce },
    row,
    hash: hexToBytes(hash),
    parts,
  }
})

const CLIENT = { networks: [{ id: '192.0.2.1', cost: 1 }] } as const

let at = 0
const next = () => samples[at++ % SAMPLES] as (typeof samples)[number]
let stored: object
const deps = {
  crypto,
  clock: { nowMs: () => NOW_S * 1000 },
  config: { authDomain: site.domain, publicUrl: site.uri },
  db: { query: async () => [stored] } as unknown as Db,
} as AuthDeps

const SUBJECTS = {
  verify: async () => {
    const { body, row } = next()
    stored = row
    await findSignedChallenge(deps, 'sign-in', body, CLIENT)
  },
  recover: () => {
    const { hash, parts } = next()
    if (!curve.recoverPublicKey(hash, parts.rs, parts.yParity)) throw new Error('nothing recovered')
  },
}

/**
 * Seconds for one, over a slice so short that most slices run without being interrupted by other processes.
 */
async function slice(subject: () => void | Promise<void>): Promise<number> {
  const started = performance.now()
  for (let i = 0; i < SLICE; i++) {
    const working = subject()
    if (working) await working
  }
  return (performance.now() - started) / 1000 / SLICE
}

const times = { verify: [] as number[], recover: [] as number[] }
for (let round = -WARM_UP; round < rounds; round++) {
  const order = round % 2 === 0 ? (['verify', 'recover'] as const) : (['recover', 'verify'] as const)
  for (const name of order) {
    const time = await slice(SUBJECTS[name])
    if (round >= 0) times[name].push(time)
  }
}
const quantile = (share: number, numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN
const ratioAt = (share: number) => quantile(share, times.recover) / quantile(share, times.verify)
// On a busy machine half of all slices are interrupted, the longer ones more often: the quickest quarter is
// not.
const ratio = ratioAt(0.25)
console.log(`curve          ${crypto.curve}
bare recover   ${Math.round(1 / quantile(0.25, times.recover))}/s
verification   ${Math.round(1 / quantile(0.25, times.verify))}/s
ratio          ${(ratio * 100).toFixed(1)}% (lower quartiles of ${rounds} slices; medians ${(ratioAt(0.5) * 100).toFixed(1)}%; at least ${TARGET * 100}% wanted)`)
process.exit(ratio >= TARGET ? 0 : 1)
