import type { ErrorCode } from '@pit/protocol'

/** Refusals of this server itself. A call's own message may say more, with its amounts. */
export const MCP_ERRORS = {
  OVER_TRADE_CEILING: {
    message: 'The trade is over this server’s ceiling for one trade.',
    what_to_do: 'Use a smaller notional_usd. Only the operator can raise the ceiling (--max-usd-per-trade).',
  },
  OVER_DAY_CEILING: {
    message: 'The trade would pass this server’s ceiling for 24 hours.',
    what_to_do:
      'Wait, or use a smaller notional_usd; get_limits shows what is left. Only the operator can raise the ' +
      'ceiling (--max-usd-per-day).',
  },
  OVER_ASKED_SIZE: {
    message: 'By this server’s own prices the planned trade is larger than notional_usd. Nothing was signed.',
    what_to_do: 'Call it again. If it repeats, the service’s prices are wrong: tell the operator.',
  },
  NO_OWN_PRICE: {
    message: 'This server cannot price the trade itself, so its ceilings could not be enforced.',
    what_to_do: 'Trade against a core token such as ETH or USDG.',
  },
  CLIENT_ID_REUSED: {
    message: 'This client_id belongs to another trade.',
    what_to_do: 'Use a new client_id for a new trade, and the same one only to retry.',
  },
  ANOTHER_SERVER: {
    message: 'Another MCP server already trades for this wallet; only one may.',
    what_to_do: 'Trade there, or let the operator end that server first.',
  },
  NOT_EXECUTOR: {
    message: 'This server’s account is not the executor of that session.',
    what_to_do: 'List sessions with list_sessions. For the own wallet use place_trade.',
  },
  NOT_CONFIRMED: {
    message: 'The user did not confirm it. Nothing was signed or changed.',
    what_to_do: 'Do not repeat the call unless the user asks for it.',
  },
  UNKNOWN_PARAMETER: {
    message: 'The tool does not take this parameter. Nothing was done.',
    what_to_do: 'Use the parameter names of the tool’s input schema.',
  },
  BAD_PARAMETER: {
    message: 'A parameter is missing or malformed. Nothing was done.',
    what_to_do: 'Correct it by the tool’s input schema, then call again.',
  },
  LIVE_RESUME_NOT_ALLOWED: {
    message: 'The agent trades real funds, and this server may not resume it.',
    what_to_do: 'Its operator can run pit agent resume, or start this server with --allow-live-resume.',
  },
  FAILED: {
    message: 'It failed for a reason this server did not expect.',
    what_to_do: 'Tell the operator; the server’s stderr has the details.',
  },
} as const satisfies Record<string, { message: string; what_to_do: string }>

export type McpErrorCode = keyof typeof MCP_ERRORS
/** The codes of a tool's refusals: this server's own and the service's. */
export type ToolErrorCode = McpErrorCode | ErrorCode
