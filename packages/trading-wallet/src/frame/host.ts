import {
  type ListedCurve,
  pinsOf,
  readNamedCurves,
  rpcAt,
  type SigningRequest,
  type SigningReview,
} from '@pit/client'
import { acceptPins, pinsQuery } from '@pit/ui'
import type { Hex } from 'viem'
import {
  DECLINED,
  type FromFrame,
  parseToFrame,
  UNKNOWN_REQUEST,
  type WalletRequest,
  type WalletStatus,
} from '../messages.ts'
import { readWalletPlace } from '../place.ts'
import type { SigningPlace } from '../signer.ts'
import type { WalletFile } from '../walletFile.ts'
import { openSigner, type Signer } from './openSigner.ts'
import { onRecordChange, readRecord, removeRecord, writeRecord } from './store.ts'

/** A screen of the frame. */
export type Task =
  | { kind: 'create' | 'unlock' | 'backup' | 'settings' | 'return' | 'pins' }
  | { kind: 'confirm'; review: SigningReview; site: string }

interface Shown {
  task: Task
  finish(): void
  cancel(): void
}

class Declined extends Error {
  readonly code = DECLINED
}

const HIDDEN_LOCK_MS = 5 * 60_000
/** One consent to "Send everything back" covers its transactions for this long. */
const RETURN_MS = 15 * 60_000
/** Above this fee even a transaction of the return is asked for: a page could burn the ETH as gas. */
const MAX_SILENT_FEE_WEI = 10n ** 16n

const listeners = new Set<() => void>()
let shown: Shown | null = null
let signer: Signer | null = null
let usedAtMs = 0
let hiddenAtMs: number | null = null
let returnUntilMs = 0
/** The page this frame is in; set before the first message is read. */
let site: { origin: string; isForeign: boolean }

export const currentTask = (): Shown | null => shown
export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const record = readRecord
export function isLocked(): boolean {
  return signer === null
}

function status(): WalletStatus {
  const file = readRecord()
  const about = file === null || file === 'damaged' ? null : file.pit!.about
  return {
    exists: file !== null,
    address: about?.backed_up ? addressIn(file as WalletFile) : null,
    returnAddress: about?.return_address ?? null,
    isLocked: isLocked(),
    lockMinutes: about?.lock_minutes ?? 15,
  }
}

export const addressIn = ({ address }: WalletFile): Hex => `0x${address!}`

const post = (message: FromFrame): void => window.parent.postMessage(message, site.origin)
const tellStatus = (): void => post({ pit: 'wallet', event: 'status', status: status() })
export const tellSize = (height: number): void => post({ pit: 'wallet', event: 'size', height })

/** Shows a task and waits until it is done; rejects if it is cancelled. */
function ask(task: Task): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      shown = null
      for (const listener of listeners) listener()
    }
    shown = {
      task,
      finish() {
        end()
        resolve()
      },
      cancel() {
        end()
        reject(new Declined('Declined in the trading wallet.'))
      },
    }
    post({ pit: 'wallet', event: 'show' })
    for (const listener of listeners) listener()
  })
}

/** A signer that holds no key yet; kept once it does, by `keep`. */
export const newSigner = openSigner

export function keep(next: Signer, file: WalletFile): void {
  if (signer !== next) signer?.end()
  signer = next
  usedAtMs = Date.now()
  writeRecord(file)
  tellStatus()
}

export function lock(): void {
  signer?.end()
  signer = null
  returnUntilMs = 0
  tellStatus()
}

export function forget(): void {
  removeRecord()
  lock()
}

/** The signer of the unlocked wallet. */
export function unlockedSigner(): Signer {
  if (!signer) throw new Error('The wallet is locked.')
  usedAtMs = Date.now()
  return signer
}

async function unlocked(): Promise<Signer> {
  if (readRecord() === null) throw new Error('This browser has no trading wallet. Create one first.')
  if (!signer) await ask({ kind: 'unlock' })
  return unlockedSigner()
}

async function serve(request: WalletRequest): Promise<unknown> {
  switch (request.type) {
    case 'address':
      break
    case 'lock':
      lock()
      break
    case 'create':
      if (readRecord() === null) await ask({ kind: 'create' })
      break
    case 'unlock':
      await unlocked()
      break
    case 'export':
      await unlocked()
      await ask({ kind: 'backup' })
      break
    case 'settings':
      await unlocked()
      await ask({ kind: 'settings' })
      break
    case 'return':
      await unlocked()
      await ask({ kind: 'return' })
      returnUntilMs = Date.now() + RETURN_MS
      break
    case 'sign': {
      const { type: _, ...signing } = request
      await unlocked()
      const input = { request: signing, place: await place(signing) }
      const review = await unlockedSigner().call('review', input)
      if (needsConfirmation(review, request))
        await ask({ kind: 'confirm', review, site: hostOf(site.origin) })
      return unlockedSigner().call('sign', input)
    }
  }
  return status()
}

/**
 * On the site's own origin its page asks; a page of another origin has to be doubted. The frame always confirms what
 * an address outside the pins gains.
 */
function needsConfirmation(review: SigningReview, request: WalletRequest & { type: 'sign' }): boolean {
  if (review.confirmAddresses.length > 0) return true
  if (!site.isForeign) return false
  if (!review.isReturn || Date.now() > returnUntilMs || request.kind !== 'transaction') return true
  return BigInt(request.payload.gas) * BigInt(request.payload.maxFeePerGas) > MAX_SILENT_FEE_WEI
}

const hostOf = (origin: string): string => new URL(origin).host

async function place(request: SigningRequest): Promise<SigningPlace> {
  const { profile, changed } = await pinsQuery.queryFn()
  if (changed) {
    await ask({ kind: 'pins' })
    acceptPins(profile)
  }
  return { profile, host: hostOf(site.origin), curves: await curvesOf(profile, request) }
}

const NODE_TIMEOUT_MS = 5_000

/** By the pinned node, the only one this frame's policy admits; without one no curve is known. */
async function curvesOf(profile: SigningPlace['profile'], request: SigningRequest): Promise<ListedCurve[]> {
  const [url] = profile.rpc_urls
  if (url === undefined) return []
  const context = { pins: pinsOf(profile), wallet: addressIn(readRecord() as WalletFile) }
  return readNamedCurves(rpcAt(url, fetch, NODE_TIMEOUT_MS), context, request)
}

let queue: Promise<unknown> = Promise.resolve()

/** One after the other, because each may need the screen; the status and the lock at once. */
function inTurn(request: WalletRequest): Promise<unknown> {
  if (request.type === 'address' || request.type === 'lock') return serve(request)
  const next = queue.then(() => serve(request))
  queue = next.catch(() => {})
  return next.finally(() => {
    post({ pit: 'wallet', event: 'hide' })
    tellStatus()
  })
}

async function onMessage({ data, origin, source }: MessageEvent): Promise<void> {
  if (source !== window.parent || origin !== site.origin) return
  const message = parseToFrame(data)
  if (!message) {
    const id = Number.isSafeInteger((data as { id?: unknown } | null)?.id) ? (data as { id: number }).id : -1
    post({
      pit: 'wallet',
      id,
      error: { code: UNKNOWN_REQUEST, message: 'The wallet does not know this request.' },
    })
    return
  }
  const { id, request } = message
  try {
    post({ pit: 'wallet', id, result: await inTurn(request) })
  } catch (cause) {
    const { code, message: text } = cause as Error & { code?: unknown }
    const errorCode = typeof code === 'number' ? code : -32_000
    post({ pit: 'wallet', id, error: { code: errorCode, message: String(text).slice(0, 1_000) } })
  }
}

/** Locks after idle minutes, and some minutes after the tab was hidden. */
function watchTime(): void {
  document.addEventListener('visibilitychange', () => {
    hiddenAtMs = document.hidden ? Date.now() : null
  })
  setInterval(() => {
    if (!signer) return
    const now = Date.now()
    const isIdle = now - usedAtMs > status().lockMinutes * 60_000
    const isAway = hiddenAtMs !== null && now - hiddenAtMs > HIDDEN_LOCK_MS
    if (isIdle || isAway) lock()
  }, 1_000)
}

/** Serves the page of the one allowed origin. Null if the frame is in no such page. */
export async function startHost(): Promise<boolean> {
  if (window.parent === window) return false
  const { site: allowed } = await readWalletPlace()
  const origin = parentOrigin()
  const isOwn = origin === window.location.origin
  if (!isOwn && !allowed.includes(origin)) return false
  site = { origin, isForeign: !isOwn }
  window.addEventListener('message', (event) => void onMessage(event))
  onRecordChange(() => {
    lock()
    if (shown?.task.kind !== 'unlock') return shown?.cancel()
    // Shown again, with the new record.
    shown = { ...shown }
    for (const listener of listeners) listener()
  })
  watchTime()
  post({ pit: 'wallet', event: 'ready' })
  return true
}

/** The page names itself in the fragment; a wrong name only means that its messages are not read. */
const parentOrigin = (): string => {
  const named = decodeURIComponent(window.location.hash.slice(1))
  return URL.canParse(named) ? new URL(named).origin : window.location.origin
}
