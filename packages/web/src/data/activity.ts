import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { useAccount } from './account.ts'
import { type Activity, type AgentEvents, activityFrom } from './activityFeed.ts'
import { call } from './api.ts'

const EVERY_MS = 15_000
/** Reads per agent are limited for each key. */
const MAX_AGENTS = 6

export const useActivity = () => {
  const signedIn = useAccount()
  return useQuery({
    queryKey: ['activity', signedIn?.keyId ?? null],
    queryFn: readActivity,
    refetchInterval: EVERY_MS,
    enabled: signedIn !== null,
  })
}

async function readActivity(): Promise<Activity[]> {
  const [{ trades }, { sessions, hosted }] = await Promise.all([
    call('me.trades', { query: { limit: 50, refused: '1' } as never }),
    call('me.sessions', {}),
  ])
  const agents = await Promise.all(
    hosted
      .filter(({ status }) => status !== 'stopped')
      .slice(0, MAX_AGENTS)
      .map(async ({ id, name, live }): Promise<AgentEvents> => {
        const [{ rows }, wanted] = await Promise.all([
          call('hosted.logs', { params: { id }, query: { limit: 20, kinds: 'hold,error' } }),
          live ? call('hosted.orders.list', { params: { id }, query: { limit: 1 } }) : null,
        ])
        return {
          id,
          name: name?.slice(0, 40) || `Agent ${id.slice(4, 10)}`,
          holds: rows,
          wanted: wanted?.wanted ?? [],
        }
      }),
  )
  // The first page imports this file, and needs no client.
  const { openClient } = await import('../wallet/connect.ts')
  const { client } = await openClient()
  const facts = await client.tokens(
    trades.flatMap(({ token_in, token_out }) => [token_in.address, token_out.address]),
  )
  return activityFrom({ trades, sessions, agents, facts, nowS: Math.floor(Date.now() / 1_000) })
}

const PLACE = 'pit.notifications'
const listeners = new Set<() => void>()

const isOn = (): boolean =>
  'Notification' in window &&
  window.localStorage.getItem(PLACE) === 'on' &&
  Notification.permission === 'granted'

export const useNotifications = (): boolean =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, isOn)

/** Only on a click: browsers ask the visitor here. Returns false if they declined. */
export async function switchNotifications(on: boolean): Promise<boolean> {
  const isAllowed = on && 'Notification' in window && (await Notification.requestPermission()) === 'granted'
  window.localStorage.setItem(PLACE, isAllowed ? 'on' : 'off')
  for (const listener of listeners) listener()
  return isAllowed || !on
}

/** Shows a browser notification for each event that is new since this tab began to watch. */
export function useNotifier(): void {
  const isWatching = useNotifications()
  const { data } = useActivity()
  const seen = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (!data) return
    const fresh =
      seen.current === null ? [] : data.filter(({ id, times }) => times === 1 && !seen.current!.has(id))
    seen.current = new Set(data.map(({ id }) => id))
    if (isWatching)
      for (const { id, title, detail } of fresh.slice(0, 3))
        new Notification(title, { body: detail, tag: id })
  }, [data, isWatching])
}
