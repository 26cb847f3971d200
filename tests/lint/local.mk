# lint tests
