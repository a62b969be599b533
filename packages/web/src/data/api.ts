import { type Api, type Ask, type CallOptions, createApi, isRefusal } from '@pit/client'
import { type Answer, type RouteId, visibleJson } from '@pit/protocol'
import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query'
import { account, setAccount, useAccount } from './account.ts'

export const api: Api = createApi({
  url: window.location.origin,
  apiKey: () => account()?.apiKey ?? null,
  maxWaitS: 5,
})

export const queries = new QueryClient({
  defaultOptions: {
    // The client retries by itself when useful.
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 2_000, gcTime: 300_000 },
  },
})

interface ReadOptions {
  everyMs?: number
  enabled?: boolean
  /** Shows the response of the previous request until this one’s arrives. */
  keepsLast?: boolean
}

/** A route's response, refreshed periodically while it is displayed. */
export function useRead<Id extends RouteId>(
  id: Id,
  request: Ask<Id>,
  { everyMs, enabled = true, keepsLast = false }: ReadOptions = {},
) {
  const signedIn = useAccount()
  return useQuery({
    queryKey: [id, request, signedIn?.keyId ?? null],
    queryFn: ({ signal }) => call(id, request, { signal }),
    refetchInterval: everyMs ?? false,
    enabled,
    ...(keepsLast && { placeholderData: keepPreviousData }),
  })
}

/** More than any answer has. */
const VISIBLE = { maxChars: 4_000, maxValues: 400_000 }

/** Calls a route; an invalid API key signs the tab out. */
export async function call<Id extends RouteId>(
  id: Id,
  request: Ask<Id>,
  options: CallOptions = {},
): Promise<Answer<Id>> {
  const method = api[id] as (request: Ask<Id>, options: CallOptions) => Promise<Answer<Id>>
  try {
    // Control and direction characters disguise a text; a page shows answers and signs none.
    return visibleJson(await method(request, options), VISIBLE) as Answer<Id>
  } catch (error) {
    if (isRefusal(error, 'UNAUTHORIZED') && account()) setAccount(null)
    throw error
  }
}
