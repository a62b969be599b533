export { buildReport } from './buildReport.ts'
export { csvOf, type ReportFile, readReportFile, reportFileText } from './files.ts'
export * from './types.ts'
