import { useSyncExternalStore } from 'react'
import {
  FRAME_PATH,
  parseFromFrame,
  type ToFrame,
  type WalletRequest,
  type WalletStatus,
} from './messages.ts'
import { readWalletPlace } from './place.ts'

// The page's side of the wallet: one frame per tab, which this page never looks into.

interface Frame {
  ask(request: WalletRequest): Promise<unknown>
}

const START_MS = 20_000
const BLOCKED = 'If your browser blocks cookies or site data, allow them for that address.'
const [MIN_HEIGHT, MAX_HEIGHT] = [120, 2_000]
const listeners = new Set<() => void>()
let status: WalletStatus | null = null
let frame: Promise<Frame> | null = null

function openFrame(): Promise<Frame> {
  frame ??= loadFrame()
  frame.catch(() => {
    frame = null
  })
  return frame
}

export const askWallet = async (request: WalletRequest): Promise<WalletStatus> =>
  (await (await openFrame()).ask(request)) as WalletStatus

export const signByWallet = async (request: WalletRequest & { type: 'sign' }): Promise<unknown> =>
  (await openFrame()).ask(request)

/** Null until the frame is loaded. */
export const useWalletStatus = (): WalletStatus | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => status,
  )

function setStatus(next: WalletStatus): void {
  status = next
  for (const listener of listeners) listener()
}

async function loadFrame(): Promise<Frame> {
  const { origin: named } = await readWalletPlace()
  const origin = named ?? window.location.origin
  const dialog = document.createElement('dialog')
  dialog.className = 'wallet-dialog'
  dialog.setAttribute('aria-label', 'Trading wallet')
  const iframe = document.createElement('iframe')
  iframe.title = 'Trading wallet'
  iframe.allow = `publickey-credentials-get ${origin}; publickey-credentials-create ${origin}`
  iframe.src = `${origin}${FRAME_PATH}#${encodeURIComponent(window.location.origin)}`
  // Escape is the frame's, which knows what it would cancel.
  dialog.addEventListener('cancel', (event) => event.preventDefault())
  dialog.append(iframe)
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  const ready = pending()
  window.addEventListener('message', ({ data, origin: from, source }) => {
    if (source !== iframe.contentWindow || from !== origin) return
    const message = parseFromFrame(data)
    if (!message) return
    if ('id' in message) {
      const one = waiting.get(message.id)
      waiting.delete(message.id)
      if ('error' in message) one?.reject(Object.assign(new Error(message.error.message), message.error))
      else one?.resolve(message.result)
      return
    }
    switch (message.event) {
      case 'ready':
        return ready.resolve()
      case 'show':
        if (!dialog.open) dialog.showModal()
        return iframe.focus()
      case 'hide':
        return dialog.close()
      case 'size':
        iframe.style.height = `${Math.min(Math.max(message.height, MIN_HEIGHT), MAX_HEIGHT)}px`
        return
      case 'status':
        return setStatus(message.status)
    }
  })
  document.body.append(dialog)
  const timer = setTimeout(
    () => ready.reject(new Error(`The trading wallet at ${origin} did not load. ${BLOCKED}`)),
    START_MS,
  )
  try {
    await ready.promise
  } catch (error) {
    dialog.remove()
    throw error
  } finally {
    clearTimeout(timer)
  }
  const ask = (request: WalletRequest): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      iframe.contentWindow?.postMessage({ pit: 'wallet', id, request } satisfies ToFrame, origin)
    })
  setStatus((await ask({ type: 'address' })) as WalletStatus)
  return { ask }
}

function pending() {
  let resolve = () => {}
  let reject = (_: Error) => {}
  const promise = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve: () => resolve(), reject: (error: Error) => reject(error) }
}
