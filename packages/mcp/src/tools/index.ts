import type { Tool } from '../tool.ts'
import { ACCOUNT_TOOLS } from './account.ts'
import { AGENT_TOOLS } from './agents.ts'
import { LEAGUE_TOOLS } from './league.ts'
import { LOOKING_TOOLS } from './looking.ts'
import { MARKET_TOOLS } from './market.ts'
import { ORDER_TOOLS } from './orders.ts'
import { SESSION_TOOLS } from './sessions.ts'
import { TRADE_TOOLS } from './trade.ts'

export const TOOLS: readonly Tool[] = [
  ...MARKET_TOOLS,
  ...ACCOUNT_TOOLS,
  ...LOOKING_TOOLS,
  ...TRADE_TOOLS,
  ...SESSION_TOOLS,
  ...AGENT_TOOLS,
  ...ORDER_TOOLS,
  ...LEAGUE_TOOLS,
]
