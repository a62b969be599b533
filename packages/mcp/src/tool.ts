import type { Api, PitClient, Rpc } from '@pit/client'
import type { RouteId } from '@pit/protocol'
import type { Static, TObject } from '@sinclair/typebox'
import type { Trading } from './trade/placeTrade.ts'

export const TOOLSETS = ['market', 'account', 'trade', 'sessions', 'agents', 'league'] as const
export type Toolset = (typeof TOOLSETS)[number]

/** Dependencies of a read-only tool: its own routes and client methods that verify responses. It cannot sign. */
export interface Reading<R extends RouteId> {
  api: Pick<Api, R>
  own: Pick<
    PitClient,
    | 'pins'
    | 'address'
    | 'tokens'
    | 'holdings'
    | 'portfolio'
    | 'sessions'
    | 'recordedSessions'
    | 'trades'
    | 'quote'
    | 'rehearseTrade'
  > & { orders: Pick<PitClient['orders'], 'signed'> }
  /** The client's own node. */
  rpc: Rpc
  nowMs(): number
  /** Null while trading is off. */
  trading: Trading | null
  signal: AbortSignal
}
/** Dependencies of a tool that acts. */
export type Acting<R extends RouteId> = Omit<Reading<R>, 'trading'> & { trading: Trading }

/** MCP annotations by a tool's effect. */
export const EFFECTS = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  /** Creates something that is free and can be removed. */
  makes: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  /** Moves money, or ends something. */
  commits: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const

interface Spec<I extends TObject, O extends TObject, R extends readonly RouteId[]> {
  name: string
  title: string
  toolset: Toolset
  description: string
  input: I
  output: O
  /** The only routes it can call. */
  routes: R
  /** Whether its result can contain text written by third parties. */
  openWorld: boolean
}
/** The question for the user before a tool acts; null if nothing new would happen. It may throw like the tool. */
type Confirm<Deps, Args> = (deps: Deps, args: Args) => string | null

export interface Tool extends Spec<TObject, TObject, readonly RouteId[]> {
  effect: keyof typeof EFFECTS
  run(deps: Acting<RouteId>, args: never): Promise<object>
  /** Set for every tool that commits. */
  confirm?: Confirm<Acting<RouteId>, never>
}

export const reads = <I extends TObject, O extends TObject, const R extends readonly RouteId[]>(
  spec: Spec<I, O, R> & { run(deps: Reading<R[number]>, args: Static<I>): Promise<Static<O>> },
): Tool => ({ ...spec, effect: 'reads' }) as unknown as Tool

export const acts = <I extends TObject, O extends TObject, const R extends readonly RouteId[]>(
  spec: Spec<I, O, R> & {
    run(deps: Acting<R[number]>, args: Static<I>): Promise<Static<O>>
  } & ({ effect: 'makes' } | { effect: 'commits'; confirm: Confirm<Acting<R[number]>, Static<I>> }),
): Tool => spec as unknown as Tool

/** An API limited to these routes. */
export const apiOf = (api: Api, routes: readonly RouteId[]): Api =>
  Object.fromEntries(routes.map((id) => [id, api[id]])) as unknown as Api
