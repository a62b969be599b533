export { judgeAll, judgeFirst, type Rule } from './judge.ts'
