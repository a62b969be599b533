import type { ErrorCode } from '@pit/protocol'

/** Errors of this server itself. A call may replace the message with one that has the amounts. */
export const MCP_ERRORS = {
  OVER_TRADE_CEILING: {
    message: 'The trade is above this server’s maximum per trade.',
    what_to_do: 'Use a smaller notional_usd. Only the operator can raise the maximum (--max-usd-per-trade).',
  },
  OVER_DAY_CEILING: {
    message: 'The trade would exceed this server’s maximum per 24 hours.',
    what_to_do:
      'Wait, or use a smaller notional_usd; get_limits shows what is left. Only the operator can raise the ' +
      'maximum (--max-usd-per-day).',
  },
  OVER_ASKED_SIZE: {
    message:
      'At this server’s own prices, the planned trade is larger than notional_usd. Nothing was signed.',
    what_to_do:
      'Call it again. If it happens again, the service’s prices are wrong: report it to the operator.',
  },
  NO_OWN_PRICE: {
    message: 'This server cannot price the trade itself, so it cannot enforce its limits.',
    what_to_do: 'Trade against a core token such as ETH or USDG.',
  },
  CLIENT_ID_REUSED: {
    message: 'This client_id belongs to another trade.',
    what_to_do: 'Use a new client_id for a new trade. Repeat a client_id only to retry the same trade.',
  },
  ANOTHER_SERVER: {
    message: 'Another MCP server already trades for this wallet; only one may.',
    what_to_do: 'Trade through that server, or ask the operator to stop it first.',
  },
  WALLET_NEEDED: {
    message: 'This server has no record of that session, so it cannot know whose funds would trade.',
    what_to_do: 'Call it again with the wallet that granted the session, as its owner named it.',
  },
  NOT_CONFIRMED: {
    message: 'The user did not confirm the call. Nothing was signed or changed.',
    what_to_do: 'Do not repeat the call unless the user requests it.',
  },
  UNKNOWN_PARAMETER: {
    message: 'The tool does not accept this parameter. Nothing was done.',
    what_to_do: 'Use only the parameters in the tool’s input schema.',
  },
  BAD_PARAMETER: {
    message: 'A parameter is missing or malformed. Nothing was done.',
    what_to_do: 'Correct it as the tool’s input schema requires, then call again.',
  },
  LIVE_RESUME_NOT_ALLOWED: {
    message: 'The agent trades real funds, and this server is not allowed to resume it.',
    what_to_do: 'The operator can run pit agent resume, or start this server with --allow-live-resume.',
  },
  FAILED: {
    message: 'An unexpected error occurred.',
    what_to_do: 'Report it to the operator; the server’s stderr has the details.',
  },
} as const satisfies Record<string, { message: string; what_to_do: string }>

export type McpErrorCode = keyof typeof MCP_ERRORS
/** Error codes of a tool: this server's own and the service's. */
export type ToolErrorCode = McpErrorCode | ErrorCode
