import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { Terminal } from './client/terminal.ts'

/** `pit skill`: instructions for a coding agent, as a SKILL.md file. */
export const skillCommand = ({ data }: Pick<Terminal, 'data'>): Command =>
  new Command('skill')
    .description('Print the skill for coding agents: pit skill > .claude/skills/pit/SKILL.md')
    .action(() => data(readFileSync(new URL('../skills/pit/SKILL.md', import.meta.url), 'utf8').trimEnd()))
