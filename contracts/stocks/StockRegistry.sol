// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Who may not hold stock tokens: one token's blocks, and blocks for all of them (token zero).
contract StockRegistry {
    event WalletBlocked(address indexed token, address indexed wallet, bool blocked);

    error OnlyOperator();

    address public immutable operator;
    mapping(address token => mapping(address wallet => bool)) private _blocked;

    constructor() {
        operator = msg.sender;
    }

    function isBlocked(address token, address wallet) external view returns (bool) {
        return _blocked[token][wallet] || _blocked[address(0)][wallet];
    }

    function setBlocked(address token, address wallet, bool blocked) external {
        if (msg.sender != operator) revert OnlyOperator();
        _blocked[token][wallet] = blocked;
        emit WalletBlocked(token, wallet, blocked);
    }
}
