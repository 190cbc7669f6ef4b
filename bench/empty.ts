/** What any program of this runtime takes. */
process.exitCode = 0;
